import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import pg from "pg";
import { BackupError, PostgresSaver, ThreadDeletedError } from "../../src/index.js";
import {
  allVersions,
  checkpointOf,
  collect,
  metadataOf,
  newThread,
  threadConfig,
} from "../support/checkpoints.js";
import { untilItWaits } from "../support/held-locks.js";
import { describeServer, type TestDatabase } from "../support/targets.js";
import { rowsOf } from "../support/thread-rows.js";
import { idAt } from "../retention/id-at.js";
import { missingBlobs } from "../retention/stored-rows.js";

/** More values, and more writes, than one transaction of an import stores. */
const MANY = Array.from({ length: 1_100 }, (_, index) => `channel ${index}`);

describeServer("an import beside others", (target) => {
  let database: TestDatabase<string>;
  let saver: PostgresSaver;
  let thread: string;
  beforeAll(async () => {
    database = await target.createDatabase();
    saver = new PostgresSaver(database.source, undefined, { retry: false });
    await saver.setup();
  });
  beforeEach(() => {
    thread = newThread();
  });
  afterAll(() => saver.end());

  /** The lines of a backup of a thread with one checkpoint, which is then removed. */
  async function backup(values: Record<string, unknown>, writes: readonly string[] = []): Promise<string[]> {
    const checkpoint = { ...checkpointOf(saver, values), id: idAt(0) };
    const config = await saver.put(threadConfig(thread), checkpoint, metadataOf(), allVersions(checkpoint));
    await saver.putWrites(
      config,
      writes.map((channel) => [channel, 1]),
      "task",
    );
    const lines = await collect(saver.exportThreads({ threads: [thread] }));
    await saver.deleteThread(thread);
    return lines;
  }

  /** The lines, with something done in the middle: before the one of the checkpoint. */
  async function* interrupted(lines: readonly string[], meanwhile: () => Promise<unknown>) {
    for (const line of lines) {
      if (line.includes('"table":"checkpoints"')) await meanwhile();
      yield line;
    }
  }

  it("is whole or refused beside a prune that keeps the newest, wherever that comes", async () => {
    await database.query(
      `insert into checkpoints (thread_id, checkpoint_id, parent_checkpoint_id, checkpoint, metadata)
        select $1, lpad(n::text, 6, '0'), lpad((n - 1)::text, 6, '0'),
          jsonb_build_object('v', 4, 'id', lpad(n::text, 6, '0'), 'ts', '2026-01-02T03:04:05Z',
            'channel_values', '{}'::jsonb, 'versions_seen', '{}'::jsonb,
            'channel_versions', jsonb_build_object('a', n, 'b', n / 50)), '{"step": 1, "source": "loop", "parents": {}}'
        from generate_series(1, 1200) as n`,
      [thread],
    );
    await database.query(
      `insert into checkpoint_blobs (thread_id, channel, version, type, blob)
        select distinct $1, channel, (n / per)::text, 'json', '\\x31'::bytea
        from generate_series(1, 1200) as n, (values ('a', 1), ('b', 50)) as each(channel, per)`,
      [thread],
    );
    await database.query(
      `insert into checkpoint_writes (thread_id, checkpoint_id, task_id, idx, channel, type, blob)
        select $1, lpad(n::text, 6, '0'), 'task', 0, 'a', 'json', '\\x31' from generate_series(1, 1200) as n`,
      [thread],
    );
    const lines = await collect(saver.exportThreads({ threads: [thread] }));
    const outcomes = new Set<string>();
    for (const at of [500, 1_500, 2_500, 3_100, 3_600]) {
      await saver.deleteThread(thread);
      const pruneAt = async function* () {
        for (const [index, line] of lines.entries()) {
          if (index === at) await saver.prune({ keepLast: 2, threads: [thread] });
          yield line;
        }
      };
      const outcome = await saver.importThreads(pruneAt()).then(
        () => "whole",
        (error: unknown) => (error instanceof BackupError ? "refused" : "failed"),
      );
      const { problems } = await saver.verify(thread);
      expect({ at, outcome, problems: problems.filter(({ severity }) => severity === "error") }).toEqual({
        at,
        outcome: expect.stringMatching("whole|refused"),
        problems: [],
      });
      outcomes.add(outcome);
    }
    expect([...outcomes].sort()).toEqual(["refused", "whole"]);
    await saver.deleteThread(thread);
  });

  it("is over before its thread is deleted for good, or comes too late", async () => {
    const lines = await backup({ a: ["first"], z: ["last"] });
    await saver.importThreads(lines);
    await database.query("delete from checkpoints where thread_id = $1", [thread]);
    const keeping = new PostgresSaver(database.source, undefined, { retry: false, keepTombstones: true });
    const blocker = new pg.Client({ connectionString: database.source });
    await blocker.connect();
    await blocker.query("begin");
    // The import has looked for a tombstone when it comes to this row.
    await blocker.query("update checkpoint_blobs set type = type where thread_id = $1", [thread]);
    const importing = keeping.importThreads(lines);
    await untilItWaits(database, importing);
    const deleting = keeping.deleteThread(thread);
    await untilItWaits(database, deleting, 2);
    await blocker.query("commit");
    await Promise.all([importing, deleting]);
    await blocker.end();

    expect(await rowsOf(database, thread)).toEqual({ checkpoints: 0, blobs: 0, writes: 0 });
    await expect(keeping.importThreads(lines)).rejects.toThrow(ThreadDeletedError);
    await keeping.end();
  });

  // A deletion takes all writes that were stored before it.
  const removals: [string, () => Promise<unknown>, { writesKept: number }][] = [
    ["prunes", () => saver.prune([thread]), { writesKept: 1 }],
    ["deletes", () => saver.deleteThread(thread), { writesKept: 0 }],
  ];
  describe.each(removals)("when somebody %s the thread", (_name, remove, { writesKept }) => {
    it.each([
      ["values", Object.fromEntries(MANY.map((channel) => [channel, [1]])), []],
      ["writes", { list: [1] }, MANY],
    ])(
      "refuses a checkpoint whose %s have gone, and restores it when it is made again",
      async (_what, values, writes) => {
        const lines = await backup(values, writes);
        const imported = saver.importThreads(interrupted(lines, remove));
        await expect(imported).rejects.toThrow(BackupError);
        await expect(imported).rejects.toThrow("was pruned or deleted while it was imported");
        expect(await saver.getTuple(threadConfig(thread))).toBeUndefined();

        await saver.importThreads(lines);
        const tuple = await saver.getTuple(threadConfig(thread));
        expect(tuple?.checkpoint.channel_values).toEqual(values);
        expect(tuple?.pendingWrites).toHaveLength(writes.length);
      },
    );

    it("keeps a thread whole that one transaction stores", async () => {
      const lines = await backup({ a: ["first"], z: ["last"] }, ["a"]);
      await saver.importThreads(interrupted(lines, remove));
      const tuple = await saver.getTuple(threadConfig(thread));
      expect(tuple?.checkpoint.channel_values).toEqual({ a: ["first"], z: ["last"] });
      expect(tuple?.pendingWrites).toHaveLength(1);
    });

    // The import waits half way, for a row that a transaction has inserted which will not commit.
    it("keeps the values that are there already", async () => {
      const lines = await backup({ a: ["first"], z: ["last"] }, ["a"]);
      await saver.importThreads(lines);
      await database.query("delete from checkpoints where thread_id = $1", [thread]);
      const blocker = new pg.Client({ connectionString: database.source });
      await blocker.connect();
      await blocker.query("begin");
      await blocker.query("delete from checkpoint_blobs where thread_id = $1 and channel = 'z'", [thread]);
      const importing = saver.importThreads(lines);
      await untilItWaits(database, importing);
      const removing = remove();
      await untilItWaits(database, removing, 2);
      await blocker.query("commit");
      await Promise.all([importing, removing]);
      await blocker.end();

      expect(await missingBlobs(database)).toEqual([]);
      const tuple = await saver.getTuple(threadConfig(thread));
      expect(tuple?.pendingWrites).toHaveLength(writesKept);
    });
  });
});
