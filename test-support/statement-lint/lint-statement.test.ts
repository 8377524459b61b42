import { beforeAll, describe, expect, it } from "@jest/globals";
import { loadModule } from "libpg-query";
import { lintStatement } from "./lint-statement.js";

beforeAll(loadModule);

const HEADERS = `"public"."checkpoints"`;
const BLOBS = `"public"."checkpoint_blobs"`;

describe("a statement about one thread", () => {
  it.each([
    ["names the thread in WHERE", `select from ${HEADERS} where thread_id = $1 and checkpoint_ns = ''`],
    [
      "names it for both sides of a join",
      `select from ${HEADERS} h join ${BLOBS} b on b.thread_id = $1::text where h.thread_id = $1`,
    ],
    ["names it in a CTE", `with h as (select from ${HEADERS} where $1 = thread_id) select from h`],
    ["inserts it", `insert into ${BLOBS} (channel, thread_id) values ('a', $1), ('b', $1)`],
    ["inserts it into selected rows", `insert into ${BLOBS} (thread_id, channel) select $1, c from given`],
    ["reads no distributed table", `select from "public"."store" where prefix = $1`],
  ])("passes if it %s", (_, text) => {
    expect(lintStatement(text, ["threadId"])).toEqual([]);
  });

  it.each([
    [
      "joins by the thread of another table",
      `select from ${HEADERS} h join ${BLOBS} b using (thread_id) where h.thread_id = $1`,
      "reads checkpoint_blobs as b without the parameter of its thread",
    ],
    [
      "names it in a part of OR",
      `delete from ${BLOBS} where thread_id = $1 or channel = ''`,
      "reads checkpoint_blobs as checkpoint_blobs without the parameter of its thread",
    ],
    [
      "correlates a subquery",
      `select from ${HEADERS} h where thread_id = $1 and exists (select from ${BLOBS} b where b.thread_id = h.thread_id)`,
      "reads checkpoint_blobs as b without the parameter of its thread",
    ],
    [
      "forgets a branch of a union",
      `select from ${HEADERS} where thread_id = $1 union all select from ${HEADERS}`,
      "reads checkpoints as checkpoints without the parameter of its thread",
    ],
    [
      "inserts the thread of a row",
      `insert into ${BLOBS} (thread_id) select thread_id from ${HEADERS} where thread_id = $1`,
      "inserts into checkpoint_blobs another thread_id than the parameter",
    ],
    [
      "returns a size from a change",
      `delete from ${BLOBS} where thread_id = $1 returning coalesce(pg_column_size(blob), 0) as size`,
      "returns pg_column_size() of a change",
    ],
    [
      "returns the epoch of a time from a change",
      `update ${HEADERS} set metadata = '{}' where thread_id = $1 returning (extract(epoch from stored_at) * 1000)::text`,
      "returns extract() of a change",
    ],
    [
      "reads a system column in a CTE",
      `with b as (select b.xmin from ${BLOBS} b where b.thread_id = $1) select from b`,
      "reads xmin in a subquery",
    ],
  ])("fails if it %s", (_, text, problem) => {
    expect(lintStatement(text, ["threadId"])).toEqual([problem]);
  });
});

describe("a statement about many threads", () => {
  it("passes if every node can run it", () => {
    const text = `select thread_id, max(checkpoint_id) from ${HEADERS} where thread_id > $1 group by thread_id limit 9`;
    expect(lintStatement(text, ["after"])).toEqual([]);
  });

  it.each([
    [
      `select from ids cross join lateral (select from ${BLOBS} b where b.thread_id = ids.id limit 1) b`,
      "reads a table in a lateral subquery with LIMIT, OFFSET or GROUP BY",
    ],
    [`select from ${HEADERS} where thread_id = any($1) for update`, "locks rows of several nodes"],
    [`select from ${HEADERS} group by grouping sets ((thread_id), ())`, "has grouping sets"],
  ])("fails: %s", (text, problem) => {
    expect(lintStatement(text, ["threadIds"])).toEqual([problem]);
  });
});
