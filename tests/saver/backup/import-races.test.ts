import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import pg from "pg";
import { BackupError, PostgresSaver } from "../../../src/index.js";
import {
  allVersions,
  checkpointOf,
  collect,
  metadataOf,
  newThread,
  threadConfig,
} from "../../support/checkpoints.js";
import { untilItWaits } from "../../support/held-locks.js";
import { describeServer, type TestDatabase } from "../../support/targets.js";
import { idAt } from "../prune/id-at.js";
import { missingBlobs } from "../prune/stored-rows.js";

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
