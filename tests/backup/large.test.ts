import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type { CallContext } from "../../src/db/call-context.js";
import { openDatabase } from "../../src/db/index.js";
import { PostgresSaver } from "../../src/index.js";
import { exportThreads } from "../../src/backup/export-threads.js";
import { collect, newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";
import { allRows } from "./all-rows.js";

const PIECE_BYTES = 1_000;

describeAnyTarget("a large backup", (target) => {
  let source: TestDatabase;
  let copy: TestDatabase;
  let from: PostgresSaver;
  let to: PostgresSaver;

  beforeAll(async () => {
    [source, copy] = [await target.migratedDatabase(), await target.migratedDatabase()];
    [from, to] = [new PostgresSaver(source.source), new PostgresSaver(copy.source)];
  });
  afterAll(() => Promise.all([from.end(), to.end()]));

  /** A call like that of a saver, but with pieces of 1,000 bytes. */
  function callInPieces(): CallContext {
    return {
      database: openDatabase(source.source),
      schema: "public",
      policy: { retry: false, limits: { statementBytes: 10_000, pieceBytes: PIECE_BYTES } },
    };
  }

  it("exports long values in pieces, and restores them", async () => {
    const thread = newThread();
    const value = Uint8Array.from({ length: 10 * PIECE_BYTES + 7 }, (_byte, index) => index % 251);
    const { config } = await putValues(from, threadConfig(thread), { long: value });
    await from.putWrites(config, [["long", value]], "task");
    const call = callInPieces();
    const lines = await collect(exportThreads(call, { threads: [thread] }));
    await call.database.close();
    expect(lines.filter((line) => line.startsWith('{"piece":'))).toHaveLength(22);
    await to.importThreads(lines);
    expect(await to.getTuple(threadConfig(thread))).toEqual(await from.getTuple(threadConfig(thread)));
    await from.deleteThread(thread);
    await to.deleteThread(thread);
  });

  it("has only short lines, however long a value is", async () => {
    const thread = newThread();
    await putValues(from, threadConfig(thread), { long: [1] });
    // The second piece that the server sends is a whole number of lines with pieces.
    await source.query(
      "update checkpoint_blobs set blob = decode(repeat('0a', $1), 'hex') where thread_id = $2",
      [4 * 2 ** 20 + 24 * 57 * 2 ** 10, thread],
    );
    const lines = await collect(from.exportThreads({ threads: [thread] }));
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(128 * 1_024);
    await to.importThreads(lines);
    expect(await collect(to.exportThreads({ threads: [thread] }))).toEqual(lines);
    await from.deleteThread(thread);
    await to.deleteThread(thread);
  });

  it("leaves out a value that is deleted while its pieces are read, and rereads its checkpoints", async () => {
    const thread = newThread();
    const value = new Uint8Array(10 * PIECE_BYTES);
    const first = await putValues(from, threadConfig(thread), { long: value, other: value });
    const call = callInPieces();
    const lines: string[] = [];
    for await (const line of exportThreads(call, { threads: [thread] })) {
      lines.push(line);
      // At the first piece, the thread gets a new checkpoint and a prune deletes the previous one.
      if (!line.startsWith('{"piece":') || lines.some((one) => one.includes("cancelled"))) continue;
      if (lines.filter((one) => one.startsWith('{"piece":')).length > 1) continue;
      await putValues(from, first.config, { long: [1], other: [1] }, first.checkpoint);
      await from.prune([thread]);
    }
    await call.database.close();
    expect(lines.filter((line) => line === '{"cancelled":true}')).toHaveLength(1);
    await to.importThreads(lines);
    expect(await to.getTuple(threadConfig(thread))).toEqual(await from.getTuple(threadConfig(thread)));
    await from.deleteThread(thread);
    await to.deleteThread(thread);
  });

  it("exports each row of a thread with several pages once", async () => {
    // The first page ends between the two checkpoints of an id.
    await source.exec(`
      insert into checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, checkpoint, metadata)
        select 'long', ns, lpad(n::text, 6, '0'), lpad((n - 1)::text, 6, '0'),
          jsonb_build_object('channel_versions', jsonb_build_object('a', n, 'b', n / 50)), '{}'
        from generate_series(1, 551) as n, (values (''), ('inner')) as place(ns) where n < 551 or ns = '';
      insert into checkpoint_blobs (thread_id, checkpoint_ns, channel, version, type, blob)
        select 'long', ns, channel, n::text, 'json', '\\x31' from generate_series(1, 551) as n,
          (values ('', 'a'), ('inner', 'a'), ('', 'b')) as place(ns, channel);
      insert into checkpoint_blobs (thread_id, channel, version, type, blob)
        select 'long', 'orphans', n::text, 'json', '\\x31' from generate_series(1, 1001) as n order by n desc;
      insert into checkpoint_writes (thread_id, checkpoint_id, task_id, idx, channel, type, blob)
        select 'long', 'gone', 'task', n, 'a', 'json', '\\x31' from generate_series(1, 1001) as n order by n desc`);
    const lines = await collect(from.exportThreads());
    expect(new Set(lines).size).toBe(lines.length);
    await to.importThreads(lines);
    expect(await allRows(copy)).toEqual(await allRows(source));
  });
});
