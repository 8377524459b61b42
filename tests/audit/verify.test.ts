import { beforeAll, expect, it } from "@jest/globals";
import type { VerifyProgress } from "../../src/index.js";
import { insertValue } from "../../test-support/chains.js";
import { metadataOf, newThread, nextId, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { type AuditedDatabase, describeEachLayout } from "./layouts.js";

const LONG = "x".repeat(200_000);

describeEachLayout("verify", (open) => {
  let audited: AuditedDatabase;

  beforeAll(async () => {
    audited = await open();
  });

  /** Stores a checkpoint with a write, and its child, which shares a value with it. */
  async function family(thread = newThread(), checkpoint_ns = "") {
    const { saver } = audited;
    const parent = await putValues(saver, threadConfig(thread, { checkpoint_ns }), {
      log: ["a"],
      long: [LONG],
    });
    await saver.putWrites(parent.config, [["log", ["w"]], ["long", [LONG]]], "task"); // oxfmt-ignore
    const child = await putValues(saver, parent.config, { title: ["t"] }, parent.checkpoint);
    return { thread, place: { threadId: thread, checkpointNs: checkpoint_ns }, parent, child };
  }

  const change = (sql: string, ...parameters: unknown[]) => audited.database.query(sql, parameters);

  it("finds no problems in rows of savers, and counts each row once", async () => {
    const { saver } = audited;
    const { thread } = await family();
    await family(thread, "child:1");
    const reports: VerifyProgress[] = [];
    const onProgress = (progress: VerifyProgress) => reports.push(progress);
    expect(await saver.verify(thread, { onProgress })).toEqual({
      threads: 1,
      checkpoints: 4,
      values: 10,
      problems: [],
    });
    expect(reports.at(-1)).toEqual({ checkpoints: 4, values: 10, problems: 0, notices: 0, threadId: thread });
  });

  it("checks all threads, or one", async () => {
    const { saver } = audited;
    const { thread, place } = await family();
    const { thread: other } = await family();
    await change("delete from checkpoint_blobs where thread_id = $1 and channel = 'title'", thread);
    const { threads, problems } = await saver.verify();
    expect(threads).toBeGreaterThanOrEqual(2);
    expect(problems.filter(({ severity }) => severity === "error")).toMatchObject([
      { kind: "missing-value", ...place },
    ]);
    expect((await saver.verify(other)).problems).toEqual([]);
    await saver.deleteThread(thread);
  });

  it("finds a missing value once, and counts the other checkpoints that reference it", async () => {
    const { thread, place, parent } = await family();
    await change("delete from checkpoint_blobs where thread_id = $1 and channel = 'log'", thread);
    const version = String(parent.checkpoint.channel_versions.log);
    const { id } = parent.checkpoint;
    expect((await audited.saver.verify(thread)).problems).toEqual([
      {
        kind: "missing-value",
        severity: "error",
        ...place,
        checkpointId: id,
        channel: "log",
        version,
        dependents: 1,
        message: `thread "${thread}", checkpoint "${id}", channel "log", version "${version}": no value is stored; 1 other row has the same cause`,
      },
    ]);
  });

  it("accepts a channel without a value whose row marks it as empty", async () => {
    const { saver } = audited;
    const { thread, child } = await family();
    const versions = { title: saver.getNextVersion(child.checkpoint.channel_versions.title) };
    const emptied = { ...child.checkpoint, id: nextId(), channel_values: {}, channel_versions: versions };
    await saver.put(child.config, emptied, metadataOf(2), versions);
    expect((await saver.verify(thread)).problems).toEqual([]);
  });

  it("finds undecodable values and writes once each, also long ones", async () => {
    const { thread, place, parent } = await family();
    await change(
      "update checkpoint_blobs set blob = '\\xc1' where thread_id = $1 and channel = 'log'",
      thread,
    );
    await change(
      "update checkpoint_blobs set blob = blob || '\\x00'::bytea || blob where thread_id = $1 and channel = 'long'",
      thread,
    );
    await change("update checkpoint_writes set type = 'yaml' where thread_id = $1 and idx = 1", thread);
    const { log, long } = parent.checkpoint.channel_versions;
    expect((await audited.saver.verify(thread)).problems).toMatchObject([
      { kind: "undecodable-value", severity: "error", ...place, channel: "log", version: String(log) },
      { kind: "undecodable-value", severity: "error", ...place, channel: "long", version: String(long) },
      {
        kind: "undecodable-write",
        severity: "error",
        ...place,
        checkpointId: parent.checkpoint.id,
        taskId: "task",
        channel: "long",
      },
    ]);
  });

  it("takes the values that a referenced splice needs for referenced, and no others (C13)", async () => {
    const { saver, database } = audited;
    const { thread, place, parent } = await family();
    await family();
    await insertValue(database, thread, "root", { channel: "log" });
    await insertValue(database, thread, "then base", { channel: "log", base: "root" });
    await insertValue(database, thread, "stray", { channel: "log", base: "root" });
    await insertValue(database, thread, "base of a stray", { channel: "log" });
    await insertValue(database, thread, "stray too", { channel: "log", base: "base of a stray" });
    await insertValue(database, thread, "root", { channel: "long" });
    const version = String(parent.checkpoint.channel_versions.log);
    await change(
      "update checkpoint_blobs set base = 'then base' where thread_id = $1 and channel = 'log' and version = $2",
      thread,
      version,
    );
    const strays = [
      { ...place, channel: "log", version: "base of a stray" },
      { ...place, channel: "log", version: "stray" },
      { ...place, channel: "log", version: "stray too" },
      { ...place, channel: "long", version: "root" },
    ];
    for (const scope of [thread, undefined]) {
      const { problems } = await saver.verify(scope);
      const found = problems
        .filter(({ kind, threadId }) => kind === "stray-blob" && threadId === thread)
        .map(({ threadId, checkpointNs, channel, version }) => ({
          threadId,
          checkpointNs,
          channel,
          version,
        }));
      expect(found).toHaveLength(strays.length);
      expect(found).toEqual(expect.arrayContaining(strays));
    }
    await saver.deleteThread(thread);
  });

  it("reports a missing parent, writes without a checkpoint, and unreferenced blobs as notices", async () => {
    const { thread, place, parent, child } = await family();
    await change(
      "delete from checkpoints where thread_id = $1 and checkpoint_id = $2",
      thread,
      parent.checkpoint.id,
    );
    await change(
      "insert into checkpoint_blobs (thread_id, channel, version, type, blob) select $1, 'old', '7', type, blob from checkpoint_blobs where thread_id = $1 limit 1",
      thread,
    );
    const { problems } = await audited.saver.verify(thread);
    const parentId = parent.checkpoint.id;
    expect(problems.filter(({ kind }) => kind !== "undecodable-value")).toEqual([
      {
        kind: "missing-parent",
        severity: "notice",
        ...place,
        checkpointId: child.checkpoint.id,
        message: expect.stringContaining(parentId),
      },
      {
        kind: "stray-blob",
        severity: "notice",
        ...place,
        channel: "old",
        version: "7",
        message: expect.stringContaining('"old"'),
      },
      {
        kind: "stray-writes",
        severity: "notice",
        ...place,
        checkpointId: parentId,
        taskId: "task",
        message: expect.stringContaining(parentId),
      },
    ]);
  });

  it("reports a missing parent as an error only if a delta channel without a value needs it", async () => {
    const { saver } = audited;
    const counted = metadataOf(1, { counters_since_delta_snapshot: { log: [1, 1] } });
    const lost = newThread();
    const parent = await putValues(saver, threadConfig(lost), { log: ["a"] });
    const version = saver.getNextVersion(parent.checkpoint.channel_versions.log);
    const bump = {
      ...parent.checkpoint,
      id: nextId(),
      channel_values: {},
      channel_versions: { log: version },
    };
    await saver.put(parent.config, bump, counted, { log: version });
    expect((await saver.verify(lost)).problems).toEqual([]);
    await change(
      "delete from checkpoints where thread_id = $1 and checkpoint_id = $2",
      lost,
      parent.checkpoint.id,
    );
    const errors = async (thread: string) =>
      (await saver.verify(thread)).problems.filter(({ severity }) => severity === "error");
    const expected = { kind: "missing-parent", threadId: lost, checkpointId: bump.id, channel: "log" };
    expect(await errors(lost)).toMatchObject([expected]);
    // Python's saver stores no row for an empty channel.
    await change("delete from checkpoint_blobs where thread_id = $1", lost);
    expect(await errors(lost)).toMatchObject([expected]);

    const kept = newThread();
    const seed = await putValues(saver, threadConfig(kept, { checkpoint_id: "pruned" }), { log: ["a"] });
    await saver.put(threadConfig(kept, { checkpoint_id: "pruned" }), seed.checkpoint, counted, {});
    expect(await errors(kept)).toEqual([]);
  });

  it("finds cycles of ancestors", async () => {
    const { thread, place, parent, child } = await family();
    await change(
      "update checkpoints set parent_checkpoint_id = $2 where thread_id = $1 and checkpoint_id = $3",
      thread,
      child.checkpoint.id,
      parent.checkpoint.id,
    );
    expect((await audited.saver.verify(thread)).problems).toMatchObject([
      { kind: "parent-cycle", severity: "error", ...place, checkpointId: parent.checkpoint.id },
    ]);
  });

  it("finds headers that are not checkpoints", async () => {
    const { thread, place, child } = await family();
    await change(
      "update checkpoints set checkpoint = checkpoint - 'ts' where thread_id = $1 and checkpoint_id = $2",
      thread,
      child.checkpoint.id,
    );
    expect((await audited.saver.verify(thread)).problems).toMatchObject([
      { kind: "corrupt-header", severity: "error", ...place, checkpointId: child.checkpoint.id },
    ]);
  });

  it("checks the values of some threads before the headers of the next", async () => {
    const { saver, database } = audited;
    await database.exec(
      `insert into checkpoints (thread_id, checkpoint_id, checkpoint)
        select '\u0001 many', lpad(n::text, 6, '0'), '{}' from generate_series(1, 2500) as n;
       insert into checkpoint_writes (thread_id, checkpoint_id, task_id, idx, channel, type, blob)
        select '\u0001 many', '000001', 'task', n, 'a', 'json', '1' from generate_series(1, 40) as n`,
    );
    await family();
    const reports: VerifyProgress[] = [];
    await saver.verify(undefined, { onProgress: (progress) => reports.push(progress) });
    const withValues = reports.findIndex(({ values }) => values > 0);
    expect(withValues).toBeGreaterThan(-1);
    expect(reports[withValues]?.checkpoints).toBeLessThan(reports.at(-1)?.checkpoints ?? 0);
    await saver.deleteThread("\u0001 many");
  });

  it("checks a share of the threads, or those in which something was stored since", async () => {
    const { saver } = audited;
    const { thread } = await family();
    const all = (await saver.verify()).threads;
    expect(all).toBeGreaterThan(0);
    expect((await saver.verify(undefined, { since: new Date(0) })).threads).toBe(all);
    expect((await saver.verify(undefined, { since: new Date(Date.now() + 60_000) })).checkpoints).toBe(0);
    expect((await saver.verify(undefined, { sample: 1e-12 })).checkpoints).toBe(0);
    await expect(saver.verify(thread, { sample: 0.5 })).rejects.toMatchObject({ code: "INVALID_CONFIG" });
  });

  it("stops when its signal aborts", async () => {
    const { saver } = audited;
    const { thread } = await family();
    const controller = new AbortController();
    const onProgress = () => {
      controller.abort();
    };
    await expect(saver.verify(thread, { onProgress, signal: controller.signal })).rejects.toMatchObject({
      code: "ABORTED",
    });
  });
});
