import { beforeAll, beforeEach, expect, it } from "@jest/globals";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import type { StorageProgress } from "../../src/index.js";
import { type AuditedDatabase, describeEachLayout } from "./layouts.js";

const LONG = "x".repeat(50_000);

describeEachLayout("storage", (open) => {
  let audited: AuditedDatabase;

  beforeAll(async () => {
    audited = await open();
  });

  beforeEach(async () => {
    const { saver, database } = audited;
    await database.exec("truncate checkpoints, checkpoint_blobs, checkpoint_writes");
    for (const [thread, times] of [
      ["small", 1],
      ["large", 3],
      ["middle", 2],
    ] as const) {
      // oxfmt-ignore
      const { config } = await putValues(saver, threadConfig(thread), {
        log: [LONG.repeat(times)],
        note: ["a"],
      });
      await saver.putWrites(config, [["log", [LONG]], ["title", ["t"]]], "task"); // oxfmt-ignore
    }
    // The values can't be decoded any more, so that reading one fails.
    await database.exec("update checkpoint_blobs set type = 'yaml'");
  });

  async function bytesOf(table: string, where = "true"): Promise<number> {
    const [row] = await audited.database.query<{ bytes: number }>(
      `select sum(pg_column_size(blob))::int as bytes from ${table} where ${where}`,
    );
    return row?.bytes ?? 0;
  }

  async function lengthOf(where: string): Promise<number> {
    const [row] = await audited.database.query<{ bytes: number }>(
      `select sum(octet_length(blob))::int as bytes from checkpoint_blobs where ${where}`,
    );
    return row?.bytes ?? 0;
  }

  it("measures one checkpoint: its header, what it references, and what is written beside it", async () => {
    const { saver } = audited;
    const first = await putValues(saver, threadConfig("steps"), { log: ["a"], note: ["n".repeat(100)] });
    await saver.putWrites(first.config, [["log", ["b".repeat(1_000)]]], "task");
    const { checkpoint: next } = await putValues(saver, first.config, { log: ["a", "b"] }, first.checkpoint);
    const at = (id: string, query = {}) => saver.storage({ threadId: "steps", checkpointId: id, ...query });
    const { total, threads, channels } = await at(first.checkpoint.id);
    expect(total).toMatchObject({ threads: 1, checkpoints: 1, blobs: 2, writes: 1 });
    expect(threads).toMatchObject([{ threadId: "steps", checkpoints: 1, blobs: 2, writes: 1 }]);
    expect(channels).toMatchObject([
      { channel: "log", blobs: 1, writes: 1, writeBytes: total.writeBytes },
      { channel: "note", blobs: 1, writes: 0, writeBytes: 0 },
    ]);
    expect(total.writeBytes).toBe(await bytesOf("checkpoint_writes", "thread_id = 'steps'"));
    const blobs = `thread_id = 'steps' and (channel = 'note' or version = '${next.channel_versions.log}')`;
    expect((await at(next.id)).total).toMatchObject({
      ...{ checkpoints: 1, blobs: 2, writes: 0, writeBytes: 0 },
      blobBytes: await bytesOf("checkpoint_blobs", blobs),
    });
    const none = { threads: 0, checkpoints: 0, blobs: 0, writes: 0 };
    expect((await at("none")).total).toMatchObject(none);
    expect((await at(first.checkpoint.id, { checkpointNs: "other" })).total).toMatchObject(none);
    await audited.database.exec("update checkpoints set checkpoint = '[]' where thread_id = 'steps'");
    expect((await at(first.checkpoint.id)).total).toMatchObject({ checkpoints: 1, blobs: 0, writes: 1 });
  });

  it("tells how long the values would be if none was stored as a splice", async () => {
    const { saver, database } = audited;
    await database.exec(
      "update checkpoint_blobs set base = 'any', whole_bytes = 1000000 where thread_id = 'large' and channel = 'log'",
    );
    const note = await lengthOf("thread_id = 'large' and channel = 'note'");
    const { total, channels } = await saver.storage({ threadId: "large" });
    const blobBytes = await bytesOf("checkpoint_blobs", "thread_id = 'large'");
    expect(total).toMatchObject({ blobs: 2, blobBytes, splices: 1, wholeBytes: 1_000_000 + note });
    expect(channels[0]).toMatchObject({ channel: "log", blobs: 1, splices: 1, wholeBytes: 1_000_000 });
    expect((await saver.storage()).total.wholeBytes).toBe(
      1_000_000 + (await lengthOf("thread_id <> 'large' or channel <> 'log'")),
    );
  });

  it("measures headers, values and writes in total", async () => {
    const { total } = await audited.saver.storage();
    expect(total).toEqual({
      threads: 3,
      checkpoints: 3,
      headerBytes: expect.any(Number),
      blobs: 6,
      blobBytes: await bytesOf("checkpoint_blobs"),
      splices: 0,
      wholeBytes: await lengthOf("true"),
      uncompressedBytes: await lengthOf("true"),
      writes: 6,
      writeBytes: await bytesOf("checkpoint_writes"),
    });
    expect(total.headerBytes).toBeGreaterThan(300);
  });

  it("measures threads and channels, the largest first, up to the limit", async () => {
    const all = await audited.saver.storage();
    expect(all.threads.map(({ threadId }) => threadId)).toEqual(["large", "middle", "small"]);
    expect(all.threads[0]).toMatchObject({
      checkpoints: 1,
      blobs: 2,
      blobBytes: await bytesOf("checkpoint_blobs", "thread_id = 'large'"),
      writes: 2,
      writeBytes: await bytesOf("checkpoint_writes", "thread_id = 'large'"),
    });
    const note = await bytesOf("checkpoint_blobs", "channel = 'note'");
    expect(all.channels).toEqual([
      {
        channel: "log",
        blobs: 3,
        blobBytes: await bytesOf("checkpoint_blobs", "channel = 'log'"),
        splices: 0,
        wholeBytes: await lengthOf("channel = 'log'"),
        uncompressedBytes: await lengthOf("channel = 'log'"),
        writes: 3,
        writeBytes: await bytesOf("checkpoint_writes", "channel = 'log'"),
      },
      {
        channel: "note",
        blobs: 3,
        blobBytes: note,
        splices: 0,
        wholeBytes: await lengthOf("channel = 'note'"),
        uncompressedBytes: await lengthOf("channel = 'note'"),
        writes: 0,
        writeBytes: 0,
      },
      {
        channel: "title",
        blobs: 0,
        blobBytes: 0,
        splices: 0,
        wholeBytes: 0,
        uncompressedBytes: 0,
        writes: 3,
        writeBytes: await bytesOf("checkpoint_writes", "channel = 'title'"),
      },
    ]);
    const { threads, channels, total } = await audited.saver.storage({ limit: 1 });
    expect(threads.map(({ threadId }) => threadId)).toEqual(["large"]);
    expect(channels.map(({ channel }) => channel)).toEqual(["log"]);
    expect(total).toEqual(all.total);
  });

  it("adds up the pages of many threads, and tells the progress", async () => {
    const { saver, database } = audited;
    await database.exec(
      `insert into checkpoint_writes (thread_id, checkpoint_id, task_id, idx, channel, type, blob)
        select n::text, '1', 'task', 0, 'log', 'json', '1' from generate_series(1, 250) as n`,
    );
    const reports: StorageProgress[] = [];
    const onProgress = (progress: StorageProgress) => reports.push(progress);
    const { total, threads, channels } = await saver.storage({ limit: 1, onProgress });
    expect(total).toMatchObject({ threads: 253, checkpoints: 3, blobs: 6, writes: 256 });
    expect(threads.map(({ threadId }) => threadId)).toEqual(["large"]);
    expect(channels).toMatchObject([{ channel: "log", blobs: 3, writes: 253 }]);
    expect(reports.length).toBeGreaterThan(1);
    expect(reports.at(-1)).toMatchObject({ threads: 253, checkpoints: 3, blobs: 6, writes: 256 });
    expect(reports[0]?.threads).toBeLessThan(253);
  });

  it("estimates all threads by a sample, with the standard error", async () => {
    const { saver, database } = audited;
    await database.exec(
      `truncate checkpoints, checkpoint_blobs, checkpoint_writes;
       insert into checkpoint_writes (thread_id, checkpoint_id, task_id, idx, channel, type, blob)
        select n::text, '1', 'task', idx, 'log', 'json', '1'
        from generate_series(1, 60) as n, generate_series(0, n % 2) as idx`,
    );
    const { total, channels, sampledThreads: drawn = 0 } = await saver.storage({ sample: 0.8 });
    expect(total.threads).toBe(60);
    expect(drawn).toBeLessThan(60);
    // By the count alone: a thread has one write or two.
    const twos = Math.round((total.writes * drawn) / 60) - drawn;
    const mean = 1 + twos / drawn;
    const squares = twos * (2 - mean) ** 2 + (drawn - twos) * (1 - mean) ** 2;
    const error = 60 * Math.sqrt((squares / (drawn - 1) / drawn) * (1 - drawn / 60));
    expect(total.standardError?.writes).toBe(Math.round(error));
    expect(channels).toMatchObject([{ writes: total.writes, standardError: { writes: Math.round(error) } }]);
    const none = await saver.storage({ sample: 1e-12 });
    expect(none).toMatchObject({ total: { threads: 60, writes: 0 }, threads: [], sampledThreads: 0 });
    expect(none.total.standardError).toBeUndefined();
  });

  it("measures one thread", async () => {
    const { total, threads, channels } = await audited.saver.storage({ threadId: "small" });
    expect(total).toMatchObject({ threads: 1, checkpoints: 1, blobs: 2, writes: 2 });
    expect([{ threads: 1, ...threads[0] }]).toEqual([{ threadId: "small", ...total }]);
    expect(channels.map(({ channel, blobs }) => [channel, blobs])).toEqual([
      ["log", 1],
      ["note", 1],
      ["title", 0],
    ]);
  });

  it("is zero for an unknown thread, and includes rows without a checkpoint", async () => {
    const { saver, database } = audited;
    const nothing = {
      threads: 0,
      checkpoints: 0,
      headerBytes: 0,
      blobs: 0,
      blobBytes: 0,
      splices: 0,
      wholeBytes: 0,
      uncompressedBytes: 0,
      writes: 0,
      writeBytes: 0,
    };
    expect(await saver.storage({ threadId: "unknown" })).toEqual({
      total: nothing,
      threads: [],
      channels: [],
    });
    await database.exec("delete from checkpoints where thread_id = 'small'");
    expect((await saver.storage({ threadId: "small" })).total).toMatchObject({
      threads: 1,
      checkpoints: 0,
      headerBytes: 0,
      blobs: 2,
    });
  });
});
