import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { PostgresSaver, type PruneProgress } from "../../src/index.js";
import { JsonSerializer } from "../../src/serde/index.js";
import { listIds, metadataOf, threadConfig } from "../../test-support/checkpoints.js";
import { OFFICIAL_MIGRATIONS } from "../../test-support/official-migrations.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";
import { HOUR, hoursAgo, putLine } from "./put-line.js";
import { orphanedBlobs, rowsOf } from "./stored-rows.js";

describeAnyTarget("retention", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;

  beforeEach(async () => {
    database = await target.sharedDatabase();
    saver = new PostgresSaver(database.source);
  });
  afterEach(() => saver.end());

  const idsOf = (thread: string, ns = "") => listIds(saver.list(threadConfig(thread, { checkpoint_ns: ns })));

  it("deletes checkpoints that are old and not among the newest, but never the head (C9)", async () => {
    const ids = hoursAgo(50, 40, 30, 20, 1);
    for (const thread of ["age", "number", "both", "head"]) await putLine(saver, thread, ids);

    await saver.prune({ olderThanMs: 25 * HOUR, threads: ["age"] });
    await saver.prune({ keepLast: 3, threads: ["number"] });
    await saver.prune({ olderThanMs: 10 * HOUR, keepLast: 3, threads: ["both"] });
    await saver.prune({ olderThanMs: 0, threads: ["head"] });

    expect(await idsOf("age")).toEqual(ids.slice(3).reverse());
    expect(await idsOf("number")).toEqual(ids.slice(2).reverse());
    expect(await idsOf("both")).toEqual(ids.slice(2).reverse());
    expect(await idsOf("head")).toEqual(ids.slice(4));
    const tuple = await saver.getTuple(threadConfig("head"));
    expect(tuple?.checkpoint.channel_values).toEqual({ list: [4], shared: ["all"] });
    expect(tuple?.pendingWrites).toHaveLength(1);
    expect(await orphanedBlobs(database)).toEqual([]);
  });

  it("keeps every checkpoint of a namespace with fewer than keepLast", async () => {
    const ids = hoursAgo(3, 2, 1);
    await putLine(saver, "many", ids);

    const report = await saver.prune({ keepLast: Number.MAX_SAFE_INTEGER });

    expect(report).toMatchObject({ checkpoints: 0, writes: 0, blobs: 0 });
    expect(await idsOf("many")).toEqual(ids.toReversed());
  });

  it("treats an id that isn't a UUID of version 6 as having no age", async () => {
    const ids = [
      "00000000-0000-4000-8000-000000000000",
      "2020-01-01T00:00:00.000Z",
      ...hoursAgo(5, 1),
    ].sort();
    await putLine(saver, "t", ids);
    await saver.prune({ olderThanMs: HOUR * 2 });
    expect(await idsOf("t")).toEqual([ids[3], ids[2], ids[0]]);
    await saver.prune({ keepLast: 1 });
    expect(await idsOf("t")).toEqual(ids.slice(-1));
  });

  it("only deletes in the given threads and namespaces, and nothing for an empty list", async () => {
    const ids = hoursAgo(9, 8, 7);
    for (const thread of ["a", "b"]) {
      for (const ns of ["", "child"]) await putLine(saver, thread, ids, { ns });
    }
    const all = await rowsOf(database);
    expect(await saver.prune({ keepLast: 1, threads: [] })).toMatchObject({ checkpoints: 0, threads: 0 });
    expect(await saver.prune({ keepLast: 1, namespaces: [] })).toMatchObject({ checkpoints: 0, threads: 0 });
    expect(await saver.prune([])).toMatchObject({ checkpoints: 0 });
    expect(await saver.prune(["unknown"], { strategy: "delete" })).toMatchObject({
      checkpoints: 0,
      threads: 0,
    });
    expect(await rowsOf(database)).toEqual(all);

    const one = await saver.prune({ keepLast: 1, threads: ["a", "a"], namespaces: ["child"] });
    expect(one).toMatchObject({ checkpoints: 2, writes: 2, blobs: 2, threads: 1, namespaces: 1 });
    expect(await idsOf("a", "child")).toHaveLength(1);
    expect(await idsOf("a")).toHaveLength(3);

    const rest = await saver.prune({ keepLast: 1 });
    expect(rest).toMatchObject({ checkpoints: 6, threads: 2, namespaces: 3 });
  });

  it("deletes all rows of threads, and keeps tombstones with keepTombstones", async () => {
    await putLine(saver, "a", hoursAgo(2, 1));
    await putLine(saver, "a", hoursAgo(2, 1), { ns: "child" });
    await putLine(saver, "b", hoursAgo(2, 1));
    const strict = new PostgresSaver(database.source, undefined, { keepTombstones: true });
    const report = await strict.prune(["a"], { strategy: "delete" });
    expect(report).toMatchObject({ checkpoints: 4, writes: 4, threads: 1, namespaces: 2 });
    expect(await idsOf("a")).toEqual([]);
    expect(await idsOf("b")).toHaveLength(2);
    await expect(putLine(strict, "a", hoursAgo(0))).rejects.toMatchObject({ code: "THREAD_DELETED" });
    await strict.end();
  });

  it("reports which of the given threads have no rows", async () => {
    await putLine(saver, "a", hoursAgo(2, 1));
    const rules = [{ keepLast: 1 }, { idleForMs: HOUR * 9 }];
    for (const rule of rules) {
      expect((await saver.prune({ ...rule, threads: ["x", "a", "y"], dryRun: true })).missing).toEqual([
        "x",
        "y",
      ]);
    }
    expect((await saver.prune({ keepLast: 1, dryRun: true })).missing).toEqual([]);
    const deleting = { strategy: "delete", dryRun: true } as const;
    expect(await saver.prune(["x", "a"], deleting)).toMatchObject({
      missing: ["x"],
      threads: 1,
      checkpoints: 2,
    });
    expect(await idsOf("a")).toHaveLength(2);
    expect((await saver.prune(["x", "a"])).missing).toEqual(["x"]);
  });

  it("deletes idle threads whole, and no others", async () => {
    await putLine(saver, "idle", hoursAgo(50, 40));
    await putLine(saver, "idle", hoursAgo(45), { ns: "child" });
    await putLine(saver, "active", hoursAgo(50, 1));
    await putLine(saver, "active below", hoursAgo(50));
    await putLine(saver, "active below", hoursAgo(2), { ns: "child" });
    await putLine(saver, "no time", ["2"]);
    const all = await rowsOf(database);

    const wouldDelete = await saver.prune({ idleForMs: 30 * HOUR, dryRun: true });
    expect(await rowsOf(database)).toEqual(all);
    expect(wouldDelete).toMatchObject({ threads: 1, namespaces: 2, checkpoints: 3, writes: 3, dryRun: true });
    expect(await saver.prune({ idleForMs: 30 * HOUR, threads: ["active"] })).toMatchObject({ threads: 0 });
    expect(await saver.prune({ idleForMs: 0, threads: [] })).toMatchObject({ threads: 0 });
    const seen: PruneProgress[] = [];
    const report = await saver.prune({ idleForMs: 30 * HOUR, onProgress: (progress) => seen.push(progress) });

    expect(report).toEqual({ ...wouldDelete, dryRun: false });
    expect(seen).toMatchObject([{ threadId: "idle", checkpoints: 3 }]);
    const left = await rowsOf(database);
    expect(Number(left.bytes) + report.bytes).toBe(all.bytes);
    expect(await idsOf("idle")).toEqual([]);
    for (const thread of ["active", "active below", "no time"]) expect(await idsOf(thread)).not.toEqual([]);
    expect(await saver.prune({ idleForMs: 30 * HOUR })).toMatchObject({ threads: 0, checkpoints: 0 });
  });

  it("deletes orphaned writes, but not writes whose checkpoint may still be stored (C9)", async () => {
    await putLine(saver, "t", hoursAgo(5, 0.2));
    const write = async (id: string | undefined, thread = "t") => {
      const config = threadConfig(thread, { checkpoint_id: id });
      await saver.putWrites(config, [["list", id]], "lost");
    };
    const [lost, late, future] = hoursAgo(3, 0.5, -1);
    for (const id of [lost, late, future, "0-not-a-uuid"]) await write(id);
    await write(lost, "gone");
    const report = await saver.prune({ olderThanMs: 1000 * HOUR, deleteUnproven: true });
    expect(report).toMatchObject({ checkpoints: 0, writes: 2, threads: 2 });
    const left = await database.query("select checkpoint_id from checkpoint_writes where task_id = 'lost'");
    expect(left.map((row) => row.checkpoint_id).sort()).toEqual([late, future, "0-not-a-uuid"].sort());
  });

  it("reports progress after each transaction and namespace", async () => {
    const ids = hoursAgo(9, 8, 7, 6, 5);
    for (const thread of ["a", "b"]) await putLine(saver, thread, ids);
    const seen: PruneProgress[] = [];
    const report = await saver.prune({
      keepLast: 1,
      batchSize: 2,
      onProgress: (progress) => seen.push(progress),
    });
    expect(seen.map(({ checkpoints }) => checkpoints)).toEqual([2, 4, 6, 8, 8, 8, 8, 8]);
    expect(seen.at(-1)).toMatchObject({
      threadId: "b",
      checkpointNs: "",
      namespacesDone: 2,
      blobs: report.blobs,
    });
  });

  it("stops when its signal aborts, and keeps what was committed", async () => {
    await putLine(saver, "t", hoursAgo(9, 8, 7, 6, 5));
    const controller = new AbortController();
    const pruned = saver.prune({
      keepLast: 1,
      batchSize: 1,
      signal: controller.signal,
      onProgress: ({ checkpoints }) => {
        if (checkpoints === 2) controller.abort();
      },
    });
    await expect(pruned).rejects.toMatchObject({ code: "ABORTED" });
    // Children are deleted first, so the remaining checkpoints stay readable.
    expect(await idsOf("t")).toHaveLength(3);
    const [head] = await idsOf("t");
    expect((await saver.getTuple(threadConfig("t")))?.checkpoint.id).toBe(head);
    expect((await saver.prune({ keepLast: 1 })).checkpoints).toBe(2);
  });

  it("deletes the checkpoints of runs in all threads, including heads, with the values that only they reference", async () => {
    const ids = hoursAgo(9, 8, 7, 6);
    const run = (n: number) => (n % 2 === 0 ? "even" : "odd");
    for (const thread of ["a", "b"]) await putLine(saver, thread, ids, { run });
    const before = await saver.getTuple(threadConfig("a", { checkpoint_id: ids[2] }));
    const wouldDelete = await saver.deleteForRuns(["odd"], { dryRun: true });
    expect(await idsOf("a")).toHaveLength(4);
    const report = await saver.deleteForRuns(["odd", "odd", "unknown"]);
    expect(report).toEqual({ ...wouldDelete, dryRun: false });
    expect(report).toMatchObject({
      checkpoints: 4,
      writes: 4,
      blobs: 4,
    });
    expect(await idsOf("a")).toEqual([ids[2], ids[0]]);
    expect(await saver.getTuple(threadConfig("a"))).toEqual(before);
    expect(await orphanedBlobs(database)).toEqual([]);
  });

  it.each<[string, (saver: PostgresSaver) => Promise<unknown>]>([
    ["prune", (each) => each.prune({ keepLast: 1 })],
    ["prune of threads", (each) => each.prune(["t"], { dryRun: true })],
    ["prune of whole threads", (each) => each.prune(["t"], { strategy: "delete", dryRun: true })],
    ["prune of idle threads", (each) => each.prune({ idleForMs: 0, dryRun: true })],
    ["deleteForRuns", (each) => each.deleteForRuns(["r"])],
    ["deleteThread", (each) => each.deleteThread("t")],
  ])("refuses %s on tables that can't be read or exported before a migration", async (_name, call) => {
    const official = await target.createDatabase();
    for (const sql of OFFICIAL_MIGRATIONS.slice(0, 5)) await official.exec(sql);
    await official.exec(
      `insert into checkpoints values ('t', '', '1', null, null, '{}', '{"run_id": "r"}'), ('t', '', '2', '1', null, '{}', '{}')`,
    );
    const old = new PostgresSaver(official.source);

    await expect(call(old)).rejects.toMatchObject({ code: "MIGRATION_REQUIRED" });
    expect(await rowsOf(official)).toMatchObject({ checkpoints: 2 });
    await old.end();
  });

  it("works on the tables of the official savers: with their collation, numeric versions and sends of old formats", async () => {
    const official = await target.createDatabase();
    for (const sql of OFFICIAL_MIGRATIONS) await official.exec(sql);
    const old = new PostgresSaver(official.source, new JsonSerializer());
    await old.setup();
    const ids = hoursAgo(9, 8, 7);
    const at = (n: number) => threadConfig("t", { checkpoint_ns: "", checkpoint_id: ids[n] });
    for (const [n, id] of ids.entries()) {
      const checkpoint = {
        v: 1,
        id,
        ts: "2024-01-01T00:00:00.000Z",
        channel_values: { list: [n] },
        channel_versions: { list: n + 1 },
        versions_seen: {},
      };
      await old.put(n === 0 ? threadConfig("t") : at(n - 1), checkpoint, metadataOf(n), { list: n + 1 });
      await old.putWrites(
        at(n),
        [
          ["__pregel_tasks", `send ${n}`],
          ["list", [n]],
        ],
        "task",
      );
    }
    const before = await old.getTuple(threadConfig("t"));
    expect(before?.checkpoint.channel_values.__pregel_tasks).toEqual(["send 1"]);
    const wouldDelete = await old.prune({ keepLast: 1, dryRun: true });
    expect(await old.prune(["t"])).toEqual({ ...wouldDelete, dryRun: false });
    expect(wouldDelete).toMatchObject({ checkpoints: 2, writes: 3, blobs: 2 });
    expect(await old.getTuple(threadConfig("t"))).toEqual(before);
    expect(await old.prune(["t"])).toMatchObject({ checkpoints: 0, writes: 0, blobs: 0 });
    await old.end();
  });
});
