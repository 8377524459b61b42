import { afterEach, beforeEach, expect, it } from "@jest/globals";
import {
  type CheckpointDatabase,
  type IdleOptions,
  PostgresSaver,
  type RetentionOptions,
} from "../../src/index.js";
import { insertValue } from "../../test-support/chains.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { type MemoryArchive, memoryArchive } from "../../test-support/memory-archive.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { type AnyRows, IDS, storeRows } from "../retention/shared-ids.js";
import { HOUR, hoursAgo, putLine } from "../retention/put-line.js";

const NOTHING = { checkpoints: 0, writes: 0, blobs: 0, bytes: 0 };
const NO_ORPHANS = { blobs: 0, writes: 0, bytes: 0, namespaces: [] };

describeServer("what an archive reports", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;
  let to: MemoryArchive;
  beforeEach(async () => {
    database = await target.sharedDatabase();
    saver = new PostgresSaver(database.source);
    to = memoryArchive();
  });
  afterEach(() => saver.end());

  /** Runs an archive and, before it, the same as a dry run. The sizes of rows depend on the database, and are the same in both. */
  async function archived(rule: RetentionOptions | IdleOptions, filesPer?: "run") {
    const steps: object[] = [];
    const { bytes: expected, ...preview } = await saver.archive({
      ...rule,
      to,
      dryRun: true,
    });
    expect(preview).toMatchObject({ files: 0, changed: 0, dryRun: true });
    expect(to.files.size).toBe(0);
    const { bytes, ...report } = await saver.archive({
      ...rule,
      filesPer,
      to,
      onProgress: ({ bytes: soFar, ...step }) => {
        expect(soFar).toBeLessThanOrEqual(expected);
        steps.push(step);
      },
    });
    expect(bytes).toBe(expected);
    expect(report).toEqual({ ...preview, files: report.files, dryRun: false });
    return { report, steps };
  }

  it("of threads that are idle: those that are not stay, and are not counted as changed", async () => {
    await putLine(saver, "idle", hoursAgo(9, 8));
    await putLine(saver, "idle", hoursAgo(9), { ns: "sub" });
    await putLine(saver, "active", hoursAgo(9, 0));
    const { report, steps } = await archived({ idleForMs: HOUR, threads: ["idle", "active", "none"] });
    const removed = { checkpoints: 3, writes: 3, blobs: 5 };
    expect(report).toEqual({
      ...removed,
      ...{ threads: 1, files: 1, changed: 0, missing: ["none"], unproven: NO_ORPHANS, dryRun: false },
    });
    expect(steps).toEqual([{ ...removed, threadId: "idle", checkpointNs: "", namespacesDone: 2 }]);
  });

  it("of old checkpoints, one transaction after another, and of what no checkpoint needs", async () => {
    const ids = hoursAgo(9, 8, 7);
    await putLine(saver, "t", ids);
    await putLine(saver, "t", ids.slice(2), { ns: "sub" });
    await insertValue(database, "t", "orphan");
    await saver.putWrites(
      threadConfig("t", { checkpoint_ns: "sub", checkpoint_id: ids[0] }),
      [["list", 1]],
      "lost",
    );
    await putLine(saver, "new", hoursAgo(0));
    const { report, steps } = await archived({ keepLast: 1, batchSize: 1, deleteUnproven: true });
    expect(report).toEqual({
      ...{ checkpoints: 2, writes: 3, blobs: 3 },
      ...{ threads: 1, files: 1, changed: 0, missing: [], unproven: NO_ORPHANS, dryRun: false },
    });
    const root = { threadId: "t", checkpointNs: "" };
    const sub = { threadId: "t", checkpointNs: "sub" };
    expect(steps).toEqual([
      { checkpoints: 1, writes: 1, blobs: 0, ...root, namespacesDone: 0 },
      { checkpoints: 2, writes: 2, blobs: 0, ...root, namespacesDone: 0 },
      { checkpoints: 2, writes: 2, blobs: 3, ...root, namespacesDone: 0 },
      { checkpoints: 2, writes: 2, blobs: 3, ...root, namespacesDone: 1 },
      { checkpoints: 2, writes: 3, blobs: 3, ...sub, namespacesDone: 1 },
      { checkpoints: 2, writes: 3, blobs: 3, ...sub, namespacesDone: 2 },
    ]);
  });

  it("of what may still be needed", async () => {
    await putLine(saver, "t", hoursAgo(9, 8, 7));
    await insertValue(database, "t", "orphan");
    const { report } = await archived({ keepLast: 9, threads: ["t", "none"] });
    expect(report).toEqual({
      ...{ checkpoints: 0, writes: 0, blobs: 0, threads: 0, files: 0, changed: 0, missing: ["none"] },
      unproven: {
        ...{ blobs: 1, writes: 0, bytes: expect.any(Number) },
        namespaces: [{ threadId: "t", checkpointNs: "", blobs: 1, writes: 0, reason: "recent" }],
      },
      dryRun: false,
    });
  });

  it("of no namespaces, and of one that has nothing to remove", async () => {
    await putLine(saver, "t", hoursAgo(9, 8));
    await putLine(saver, "t", hoursAgo(9), { ns: "sub" });
    await insertValue(database, "t", "orphan");
    const other = await archived({ keepLast: 1, namespaces: ["sub"], deleteUnproven: true });
    expect(other.report).toMatchObject({ checkpoints: 0, blobs: 0, files: 0, unproven: NO_ORPHANS });
    const { report } = await archived({ keepLast: 1, namespaces: [], threads: ["t", "none"] });
    expect(report).toMatchObject({ checkpoints: 0, threads: 0, files: 0, missing: [] });
  });

  it.each([true, false])(
    "keeps the sends that a checkpoint of an older format reads, with the sender: %s",
    async (isStored) => {
      const [first = "", sender = "", reader = ""] = IDS;
      const header = { parent: null, v: 4, run: "red", counts: false, inline: [], versions: {} };
      const rows: AnyRows = {
        checkpoints: [
          { ...header, id: first },
          ...(isStored ? [{ ...header, id: sender }] : []),
          { ...header, id: reader, parent: sender, v: 3 },
        ],
        blobs: [],
        writes: [
          { id: first, task: "one", channel: "__pregel_tasks" },
          { id: sender, task: "one", channel: "__pregel_tasks" },
          { id: sender, task: "two", channel: "x" },
        ],
      };
      await storeRows(database.kysely<CheckpointDatabase>(), new Map([[{ thread: "t", ns: "" }, rows]]));
      const { report } = await archived({ keepLast: 1, deleteUnproven: true });
      expect(report).toMatchObject({ writes: 2, changed: 0 });
      expect(await database.query("select checkpoint_id, task_id from checkpoint_writes")).toEqual([
        { checkpoint_id: sender, task_id: "one" },
      ]);
    },
  );

  it("of a thread with more namespaces than one page holds: it is one thread", async () => {
    await database.exec(
      `insert into checkpoint_blobs (thread_id, checkpoint_ns, channel, version, type, blob)
      select 't', 'ns' || n, 'a', '1', 'msgpack', '' from generate_series(1, 201) as n`,
    );
    const { report } = await archived({ keepLast: 1, deleteUnproven: true }, "run");
    expect(report).toMatchObject({ blobs: 201, threads: 1, files: 1, changed: 0 });
  });

  it.each([true, false])(
    "and leaves tombstones of whole threads with keepTombstones: %s",
    async (keepTombstones) => {
      await using keeping = new PostgresSaver(database.source, undefined, { keepTombstones });
      await putLine(keeping, "t", hoursAgo(9));
      await keeping.archive({ strategy: "delete", threads: ["t"], to });
      const restored = keeping.restore({ from: to, strict: true });
      if (keepTombstones) await expect(restored).rejects.toMatchObject({ code: "THREAD_DELETED" });
      else expect(await restored).toMatchObject({ checkpoints: 1 });
      expect(await keeping.restore({ from: to, liftTombstones: true })).toMatchObject({ threads: 1 });
    },
  );

  it("and what a restore stores of it, file by file", async () => {
    await putLine(saver, "t", hoursAgo(9, 8));
    await saver.archive({ keepLast: 1, to });
    await saver.archive({ strategy: "delete", threads: ["t"], to });
    await putValues(saver, threadConfig("u"), { a: 1 });
    await saver.archive({ strategy: "delete", threads: ["u"], to });
    const steps: object[] = [];
    const restore = () =>
      saver.restore({
        from: to,
        threads: ["t", "none", "t"],
        onProgress: (step) => {
          steps.push(step);
        },
      });
    const left = { damagedFiles: [], damaged: [], tombstoned: [] };
    const found = { threads: 1, files: 2, missing: ["none"], lostFiles: [], incomplete: [], ...left };
    const first = { checkpoints: 1, writes: 1, blobs: 2, bytes: 9 };
    const both = { checkpoints: 2, writes: 2, blobs: 3, bytes: 13 };
    expect(await restore()).toEqual({ ...found, ...both, skipped: 0 });
    expect(steps).toEqual([
      { ...found, ...first, skipped: 0 },
      { ...found, ...both, skipped: 0 },
    ]);
    expect(await restore()).toEqual({ ...found, ...NOTHING, skipped: 7 });
  });
});
