import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { AbortError, type CheckpointDatabase, PostgresSaver } from "../../src/index.js";
import { collect, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";
import { allRows } from "./all-rows.js";

const THREADS = ["a", "b", "c"] as const;
const REASON = "is already stored with different content: an import overwrites nothing";

describeAnyTarget("a thread that an import can't store", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;
  let lines: string[];

  beforeEach(async () => {
    database = await target.sharedDatabase();
    saver = new PostgresSaver(database.source);
    for (const thread of THREADS) {
      const { config } = await putValues(saver, threadConfig(thread), { list: [thread], more: [1] });
      await saver.putWrites(config, [["more", 1]], "task");
    }
    lines = await collect(saver.exportThreads());
  });
  afterEach(() => saver.end());

  const ofThread = (rows: Awaited<ReturnType<typeof allRows>>, thread: string) =>
    Object.values(rows)
      .flat()
      .filter((row) => row.startsWith(`(${thread},`));

  it.each([
    ["checkpoints", "type = 'json'", { checkpointId: expect.any(String) }],
    ["checkpoint_writes", "type = 'json'", { checkpointId: expect.any(String), channel: "more" }],
    ["checkpoint_blobs", "whole_bytes = 7", { channel: "list", version: expect.any(String) }],
  ])("costs only itself, and no row of it is stored: a row of %s differs", async (table, change, place) => {
    const before = await allRows(database);
    await database.exec(`update ${table} set ${change} where thread_id = 'b';
      ${["checkpoints", "checkpoint_writes", "checkpoint_blobs"]
        .filter((other) => other !== table)
        .map((other) => `delete from ${other} where thread_id = 'b'`)
        .join(";")};
      delete from checkpoint_blobs where thread_id = 'b' and channel = 'more'`);
    await saver.prune(["a", "c"], { strategy: "delete" });
    const kept = ofThread(await allRows(database), "b");
    expect(await saver.importThreads(lines)).toMatchObject({
      ...{ threads: 2, checkpoints: 2, writes: 2, blobs: 4, skipped: 0 },
      ...{ damaged: [{ threadId: "b", checkpointNs: "", ...place, reason: REASON }], tombstoned: [] },
    });
    const after = await allRows(database);
    expect(ofThread(after, "b")).toEqual(kept);
    for (const thread of ["a", "c"]) expect(ofThread(after, thread)).toEqual(ofThread(before, thread));
  });

  it("costs only itself in a transaction of the application", async () => {
    await saver.prune(["a", "c"], { strategy: "delete" });
    await database.exec(`update checkpoint_blobs set type = 'json' where thread_id = 'b';
      delete from checkpoints where thread_id = 'b'`);
    await database
      .kysely<CheckpointDatabase>()
      .transaction()
      .execute(async (transaction) => {
        const within = new PostgresSaver(transaction);
        expect(await within.importThreads(lines)).toMatchObject({
          ...{ threads: 2, checkpoints: 2, damaged: [{ threadId: "b" }] },
        });
      });
    const stored = await database.query("select thread_id from checkpoints order by thread_id");
    expect(stored).toEqual([{ thread_id: "a" }, { thread_id: "c" }]);
  });

  it("costs only itself where it has a tombstone", async () => {
    await using keeper = new PostgresSaver(database.source, undefined, { keepTombstones: true });
    await keeper.deleteThread("b");
    await saver.prune(["a", "c"], { strategy: "delete" });
    expect(await keeper.importThreads(lines)).toMatchObject({
      ...{ threads: 2, checkpoints: 2, skipped: 0, damaged: [], tombstoned: ["b"] },
    });
  });

  it("costs only itself where the table does not take a row of it", async () => {
    await database.exec("alter table checkpoint_writes alter task_path drop not null");
    await database.exec("update checkpoint_writes set task_path = null where thread_id = 'b'");
    const given = await collect(saver.exportThreads());
    await saver.prune([...THREADS], { strategy: "delete" });
    await database.exec("alter table checkpoint_writes alter task_path set not null");
    expect(await saver.importThreads(given)).toMatchObject({
      ...{ threads: 2, checkpoints: 2, writes: 2, blobs: 4 },
      damaged: [{ threadId: "b", reason: expect.stringContaining("task_path") }],
    });
  });

  it("keeps what earlier transactions have stored of it, and gets no more", async () => {
    await database.exec(`insert into checkpoint_blobs (thread_id, channel, version, type, blob)
      select 'b', 'many', n::text, 'json', '1' from generate_series(1, 2100) as n`);
    const given = await collect(saver.exportThreads({ threads: ["b", "c"] }));
    const versions = given.flatMap((line) => /"channel":"many","version":"(\d+)"/.exec(line)?.[1] ?? []);
    await saver.prune(["b", "c"], { strategy: "delete" });
    await database.exec(`insert into checkpoint_blobs (thread_id, channel, version, type, blob)
      values ('b', 'many', '${versions[1_500]}', 'json', '2')`);
    const report = await saver.importThreads(given);
    expect(report).toMatchObject({
      ...{ threads: 1, checkpoints: 2, skipped: 0 },
      damaged: [{ threadId: "b", channel: "many", version: versions[1_500] }],
    });
    // The first transaction had 1,000 rows, and others are of thread c.
    expect(report.checkpoints + report.writes + report.blobs).toBe(1_000 + 4);
  });

  it("ends an import with strict, which says what was restored", async () => {
    await database.exec("update checkpoint_blobs set type = 'json' where thread_id = 'b'");
    await expect(saver.importThreads(lines, { strict: true })).rejects.toMatchObject({
      ...{ code: "BACKUP_REFUSED", threadId: "b", restored: { damaged: [] } },
    });
  });

  it("does not keep an import from being aborted", async () => {
    await database.exec(`insert into checkpoint_blobs (thread_id, channel, version, type, blob)
      select 'a', 'many', n::text, 'json', '1' from generate_series(1, 1100) as n`);
    const given = await collect(saver.exportThreads());
    await database.exec(`update checkpoint_blobs set type = 'msgpack' where channel = 'many';
      delete from checkpoints`);
    const aborting = new AbortController();
    const aborted = saver.importThreads(given, {
      signal: aborting.signal,
      onProgress: ({ damaged }) => {
        if (damaged.length > 0) aborting.abort();
      },
    });
    await expect(aborted).rejects.toThrow(AbortError);
    expect(await database.query("select from checkpoints")).toEqual([]);
  });

  it("is not read where an import names others, and names that the backup lacks are told", async () => {
    await saver.prune([...THREADS], { strategy: "delete" });
    const report = await saver.importThreads(lines, { threads: ["c", "none", "c"] });
    expect(report).toMatchObject({ threads: 1, checkpoints: 1, writes: 1, blobs: 2, missing: ["none"] });
    expect(await database.query("select thread_id from checkpoints")).toEqual([{ thread_id: "c" }]);
  });

  describe("but that can be exported", () => {
    it("is stored elsewhere as it is, whatever is damaged in it", async () => {
      await database.exec(`
        update checkpoint_blobs set whole_bytes = -5, base = 'x' where thread_id = 'a' and channel = 'list';
        update checkpoint_blobs set whole_bytes = 5 where thread_id = 'a' and channel = 'more';
        update checkpoint_blobs set thread_id = '', channel = '', version = '' where thread_id = 'b' and channel = 'more';
        update checkpoint_writes set idx = -2147483648, task_id = '' where thread_id = 'c';
        update checkpoints set checkpoint = 'null', metadata = '[]', checkpoint_id = '' where thread_id = 'c'`);
      const before = await allRows(database);
      const given = await collect(saver.exportThreads());
      await database.exec("truncate checkpoints, checkpoint_blobs, checkpoint_writes");
      expect(await saver.importThreads(given)).toMatchObject({ threads: 4, damaged: [] });
      expect(await allRows(database)).toEqual(before);
    });
  });
});
