import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { CompiledQuery, type Kysely } from "kysely";
import { PostgresSaver } from "../../src/index.js";
import { JsonSerializer } from "../../src/serde/index.js";
import { collect, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { runs } from "../../test-support/runs.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";
import { allRows, countRows } from "./all-rows.js";

const EMPTY = "delete from checkpoints; delete from checkpoint_blobs; delete from checkpoint_writes";

const text = fc.string({ unit: "grapheme", maxLength: 6 }).map((value) => value.replaceAll("\0", ""));
const key = text.filter((value) => value !== "");
const json = fc.oneof(
  fc.constantFrom(
    "3.0",
    "3",
    "1e3",
    "123456789012345678901234567890.50",
    "[]",
    '{"b": 1.10, "a": 2}',
    '"\\u2028\\u2029\\u001b[31m\\n"',
    '{"channel_versions": {"a": "1", "b": 2}}',
    '{"channel_versions": []}',
    "null",
  ),
  fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value).replaceAll("\\u0000", "")),
);
const bytes = fc.uint8Array({ maxLength: 20 });
const type = fc.constantFrom(null, "json", "msgpack", "empty", "msgpack+aes");

const checkpoint = fc.tuple(key, text, key, fc.option(text), type, json, json);
const blob = fc.tuple(key, text, key, key, type, fc.option(bytes));
const write = fc.tuple(key, text, key, key, text, fc.integer({ min: -4, max: 9 }), key, type, bytes);

describeAnyTarget("a backup", (target) => {
  let source: TestDatabase;
  let copy: TestDatabase;
  let from: PostgresSaver;
  let to: PostgresSaver;

  beforeAll(async () => {
    [source, copy] = [await target.migratedDatabase(), await target.migratedDatabase()];
    [from, to] = [new PostgresSaver(source.source), new PostgresSaver(copy.source)];
  });
  afterAll(() => Promise.all([from.end(), to.end()]));

  beforeEach(async () => {
    for (const database of [source, copy]) {
      await database.exec(EMPTY);
    }
  });

  it("restores every row byte for byte, whatever its content", async () => {
    const behind = [source.kysely<object>(), copy.kysely<object>()] as const;
    await fc.assert(
      fc.asyncProperty(
        fc.array(checkpoint, { maxLength: 8 }),
        fc.array(blob, { maxLength: 8 }),
        fc.array(write, { maxLength: 8 }),
        async (checkpoints, blobs, writes) => {
          for (const database of [source, copy]) {
            await database.exec(EMPTY);
          }
          await insert(behind[0], "checkpoints", checkpoints);
          await insert(
            behind[0],
            "checkpoint_blobs (thread_id, checkpoint_ns, channel, version, type, blob)",
            blobs.map(([thread, ns, channel, version, tag, value]) => [
              ...[thread, ns, channel, version, tag ?? "json"],
              value,
            ]),
          );
          await insert(
            behind[0],
            "checkpoint_writes (thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, blob)",
            writes,
          );
          const stored = await allRows(source);
          await to.importThreads(from.exportThreads());
          expect(await allRows(copy)).toEqual(stored);
        },
      ),
      runs(target.name === "postgres" ? 25 : 10),
    );
  });

  it("has the same text every time, and only the requested threads", async () => {
    const last = await putThread(from, "a");
    await putThread(from, "b");
    const lines = await collect(from.exportThreads());
    expect(await collect(from.exportThreads())).toEqual(lines);
    const one = await collect(from.exportThreads({ threads: ["b", "b"] }));
    expect(one.filter((line) => line.includes('"thread_id":"a"'))).toEqual([]);
    await to.importThreads(one);
    expect(await to.getTuple(threadConfig("a"))).toBeUndefined();
    expect(await to.getTuple(threadConfig("b"))).toEqual(await from.getTuple(threadConfig("b")));
    expect(last).toBeDefined();
  });

  it("has a line for the end of a requested thread without rows", async () => {
    const lines = await collect(from.exportThreads({ threads: ["none"] }));
    expect(lines.slice(0, 2)).toEqual([
      '{"format":"langgraph-checkpoint-backup","version":1}',
      '{"thread":"none","checkpoints":0,"writes":0,"blobs":0}',
    ]);
    expect(await to.importThreads(lines)).toMatchObject({ threads: 1, checkpoints: 0 });
    expect(await collect(from.exportThreads({ threads: [] }))).toHaveLength(2);
  });

  it("can be imported again without a change, and reports the skipped rows", async () => {
    await putThread(from, "a");
    const lines = await collect(from.exportThreads());
    const first = await to.importThreads(lines);
    const stored = await allRows(copy);
    const rows = Object.values(countRows(stored)).reduce((sum, count) => sum + count, 0);
    expect(first).toMatchObject({ threads: 1, checkpoints: 3, skipped: 0 });
    expect(first.checkpoints + first.blobs + first.writes).toBe(rows);
    expect(await to.importThreads(lines)).toEqual({
      ...{ threads: 1, checkpoints: 0, writes: 0, blobs: 0, bytes: 0 },
      ...{ skipped: rows, replaced: 0, damaged: [], tombstoned: [], missing: [] },
    });
    expect(await allRows(copy)).toEqual(stored);
  });

  it("completes an import that failed", async () => {
    await putThread(from, "a");
    const lines = await collect(from.exportThreads());
    await expect(to.importThreads(lines.slice(0, 3))).rejects.toThrow("its last line is missing");
    await to.importThreads(lines);
    expect(await allRows(copy)).toEqual(await allRows(source));
  });

  it("can be restored into another schema", async () => {
    await putThread(from, "a");
    await using elsewhere = new PostgresSaver(copy.source, undefined, { schema: "else where" });
    await elsewhere.setup();
    await elsewhere.importThreads(from.exportThreads());
    expect(await allRows(copy, "else where")).toEqual(await allRows(source));
    expect(countRows(await allRows(copy)).checkpoints).toBe(0);
  });

  it("of the official layout stays readable by its serializer", async () => {
    await using json = new PostgresSaver(source.source, new JsonSerializer());
    await using restored = new PostgresSaver(copy.source, new JsonSerializer());
    await putThread(json, "a");
    await restored.importThreads(json.exportThreads());
    expect(await collect(restored.list(threadConfig("a")))).toEqual(
      await collect(json.list(threadConfig("a"))),
    );
  });

  describe("of rows that no checkpoint references", () => {
    it("has writes without a checkpoint, and unreferenced values", async () => {
      await source.exec(`
        insert into checkpoint_writes (thread_id, checkpoint_id, task_id, idx, channel, type, blob)
          select 'w', 'c' || n, 'task', 0, 'a', null, '\\x01' from generate_series(1, 3) as n;
        insert into checkpoint_blobs (thread_id, channel, version, type, blob)
          select 'b', 'a', n::text, 'empty', null from generate_series(1, 3) as n`);
      expect(await to.importThreads(from.exportThreads())).toMatchObject({ threads: 2, writes: 3, blobs: 3 });
      expect(await allRows(copy)).toEqual(await allRows(source));
    });
  });
});

async function insert(database: Kysely<object>, table: string, rows: readonly unknown[][]): Promise<void> {
  for (const row of rows) {
    const holes = row.map((_value, index) => `$${index + 1}`).join(", ");
    const text = `insert into ${table} values (${holes}) on conflict do nothing`;
    await database.executeQuery(CompiledQuery.raw(text, row));
  }
}

async function putThread(saver: PostgresSaver, thread: string) {
  const first = await putValues(saver, threadConfig(thread), { a: [1], b: "text" });
  const second = await putValues(saver, first.config, { a: [2], c: null }, first.checkpoint);
  await saver.putWrites(second.config, [["a", new Date(0)]], "task", "~pull");
  const inner = threadConfig(thread, { checkpoint_ns: "inner:1" });
  await putValues(saver, inner, { x: new Map([[1, 2n]]) });
  return second;
}
