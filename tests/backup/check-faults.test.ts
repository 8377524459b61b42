import { describe, expect, it } from "@jest/globals";
import { checkBackup } from "../../src/index.js";
import { THREAD_BACKUP } from "../../src/backup/backup-line.js";
import { firstLineOf, formatLine, LinesChecksum } from "../../src/parsing/backup-lines.js";
import { JsonSerializer } from "../../src/serde/index.js";

const serde = new JsonSerializer();
const base64 = (text: string) => Buffer.from(text).toString("base64");
const NO_ROWS = { checkpoints: 0, writes: 0, blobs: 0 };

const blob = (version: string, columns: object = {}) => ({
  ...{ table: "checkpoint_blobs", thread_id: "t", checkpoint_ns: "", channel: "a", version, type: "json" },
  ...{ blob: base64("1"), ...columns },
});
const write = (idx: number, columns: object = {}) => ({
  ...{ table: "checkpoint_writes", thread_id: "t", checkpoint_ns: "", checkpoint_id: "1", task_id: "x", idx },
  ...{ task_path: "", channel: "a", type: "json", blob: base64("1"), ...columns },
});
const checkpoint = (id: string, versions: object, { ns = "", header = {}, metadata = {} } = {}) => ({
  ...{
    table: "checkpoints",
    thread_id: "t",
    checkpoint_ns: ns,
    checkpoint_id: id,
    parent_checkpoint_id: null,
    type: null,
  },
  checkpoint: JSON.stringify({
    ...{ v: 4, id, ts: "2020-01-01T00:00:00.000Z", channel_values: {}, channel_versions: versions },
    ...{ versions_seen: {}, ...header },
  }),
  metadata: JSON.stringify({ source: "loop", step: 1, parents: {}, ...metadata }),
});
const end = (counts: object, thread = "t") => ({ thread, ...NO_ROWS, ...counts });

/** What is found in these rows, which are line 2 and those that follow. The last line counts what is there. */
async function check(rows: readonly object[]) {
  const seal = (counts: object) => {
    const lines = [formatLine(firstLineOf(THREAD_BACKUP)), ...rows.map(formatLine)];
    const checksum = new LinesChecksum();
    for (const line of lines) checksum.add(line);
    return [
      ...lines,
      formatLine({ end: { threads: 0, ...NO_ROWS, bytes: 0, ...counts, sha256: checksum.digest() } }),
    ];
  };
  const found = await checkBackup(seal({}), { serde });
  const { threads, checkpoints, writes, blobs, bytes } = found;
  return checkBackup(seal({ threads, checkpoints, writes, blobs, bytes }), { serde });
}

describe("the faults of a backup", () => {
  it("are none in whole threads, of which each value is decoded", async () => {
    const rows = [blob("1"), write(0), checkpoint("1", { a: "1" })];
    const ofOther = rows.map((row) => ({ ...row, thread_id: "u" }));
    const all = { checkpoints: 1, writes: 1, blobs: 1 };
    expect(
      await check([...rows, end(all), ...ofOther, end(all, "u"), blob("1", { thread_id: "v" })]),
    ).toEqual({
      ...{ threads: 2, checkpoints: 2, writes: 2, blobs: 3, bytes: 5 },
      ...{ isIntact: true, lines: 11, decoded: 5, faults: [], faultCount: 0 },
    });
  });

  it("name the counts of a thread that differ, of each table", async () => {
    const rows = [blob("1"), blob("2"), write(0), checkpoint("1", { a: "1" })];
    const counts = { checkpoints: 1, writes: 1, blobs: 2 };
    const wrong = end({ checkpoints: 2, writes: 0, blobs: 3 });
    const { faults, isIntact, faultCount } = await check([...rows, end(counts), ...rows, wrong]);
    expect(faults).toEqual([
      { line: 11, threadId: "t", message: 'thread "t" has 1 checkpoints, and its end counts 2' },
      { line: 11, threadId: "t", message: 'thread "t" has 1 writes, and its end counts 0' },
      { line: 11, threadId: "t", message: 'thread "t" has 2 blobs, and its end counts 3' },
    ]);
    expect({ isIntact, faultCount }).toEqual({ isIntact: false, faultCount: 3 });
  });

  it("name a value that is missing once, unless something else has it", async () => {
    const python = { header: { ts: "2020-01-01T00:00:00+00:00" } };
    const { faults } = await check([
      checkpoint("1", { a: "1" }),
      checkpoint("2", { a: "1", inline: "1" }, { header: { channel_values: { inline: 1 } } }),
      checkpoint("3", { a: "2" }, python),
      checkpoint("4", { d: "1" }, { metadata: { counters_since_delta_snapshot: { d: [1, 1] } } }),
      checkpoint("5", { d: "1", a: "1" }, { ns: "sub" }),
      end({ checkpoints: 5 }),
    ]);
    const lacks = (line: number, checkpointNs: string, id: string, channel: string) => ({
      ...{ line, threadId: "t", checkpointNs, checkpointId: id, channel },
      message: `thread "t", channel "${channel}", checkpoint "${id}": the backup lacks the value at version "1"`,
    });
    expect(faults).toEqual([lacks(2, "", "1", "a"), lacks(6, "sub", "5", "d"), lacks(6, "sub", "5", "a")]);
  });

  it("name what a splice lacks, and what can't be decoded", async () => {
    const { faults, decoded } = await check([
      blob("1", { type: "json-splice", base: "0", whole_bytes: 9 }),
      blob("2", { blob: base64("{") }),
      write(0, { blob: base64("{") }),
      blob("3", { type: "empty", blob: null }),
      end({ writes: 1, blobs: 3 }),
    ]);
    const place = { threadId: "t", checkpointNs: "", channel: "a" };
    expect(faults).toEqual([
      { line: 3, ...place, message: expect.any(String) },
      { line: 4, ...place, checkpointId: "1", message: expect.any(String) },
      {
        ...{ line: 2, ...place },
        message: 'thread "t", channel "a": the backup lacks version "0", which version "1" is made of',
      },
    ]);
    expect(decoded).toBe(0);
  });

  it("name a header that is none by its checkpoint", async () => {
    const { faults } = await check([{ ...checkpoint("1", {}), checkpoint: null }, end({ checkpoints: 1 })]);
    expect(faults).toEqual([
      {
        line: 2,
        threadId: "t",
        checkpointNs: "",
        checkpointId: "1",
        message: expect.stringContaining("checkpoint"),
      },
    ]);
  });

  it("name pieces that are no value, and one whose last pieces are missing", async () => {
    const { blob: _, ...columns } = blob("1");
    const pieced = { ...columns, bytes: 3 };
    const damaged = "the backup is damaged: ";
    const incomplete = `${damaged}a value is incomplete`;
    const { faults, decoded, blobs } = await check([
      { piece: base64("1") },
      ...[pieced, { piece: base64("12") }, { piece: base64("3") }],
      ...[pieced, { piece: base64("12") }, { cancelled: true }],
      ...[pieced, blob("2"), blob("3")],
      ...[pieced, { piece: base64("1234") }],
      ...[pieced, { piece: base64("1") }],
    ]);
    expect(faults).toEqual([
      { line: 2, message: `${damaged}a piece follows no value` },
      { line: 10, message: incomplete },
      { line: 13, message: `${damaged}the pieces of a value do not have the stated length` },
      { line: 16, message: incomplete },
    ]);
    expect({ decoded, blobs }).toEqual({ decoded: 2, blobs: 4 });
  });

  it("name columns that no saver stores, and the header of another checkpoint", async () => {
    const { faults, decoded } = await check([
      blob("1", { whole_bytes: -5 }),
      blob("2", { base: "1" }),
      write(0, { task_path: null }),
      checkpoint("1", { a: "1" }, { header: { id: "2" } }),
      end({ checkpoints: 1, writes: 1, blobs: 2 }),
    ]);
    const place = { threadId: "t", checkpointNs: "", channel: "a" };
    const { channel: _, ...header } = place;
    const at = (version: string) => `thread "t", channel "a", ${version}:`;
    expect(faults).toEqual([
      { line: 2, ...place, message: `${at('version "1"')} "whole_bytes" is -5` },
      {
        ...{ line: 3, ...place },
        message: `${at('version "2"')} it has the base "1", but it is no splice`,
      },
      {
        line: 4,
        ...place,
        checkpointId: "1",
        message: `${at('checkpoint "1"')} the column "task_path" is NULL`,
      },
      {
        ...{ line: 5, ...header, checkpointId: "1" },
        message: expect.stringContaining('header is that of checkpoint "2"'),
      },
    ]);
    expect(decoded).toBe(3);
  });

  it("name each line that is damaged, and what comes after it", async () => {
    const { faults, lines, blobs } = await check([
      { table: "users" },
      blob("1"),
      blob("2", { idx: 1 }),
      blob("3", { blob: base64("{") }),
      end({ blobs: 2 }),
    ]);
    expect(faults).toEqual([
      { line: 2, message: expect.stringContaining("the backup is damaged") },
      { line: 4, message: expect.stringContaining("the backup is damaged") },
      { line: 5, threadId: "t", checkpointNs: "", channel: "a", message: expect.any(String) },
    ]);
    expect({ lines, blobs }).toEqual({ lines: 7, blobs: 2 });
  });

  it("are not those of what the lines are read from", async () => {
    const broken = (async function* () {
      yield await Promise.resolve(formatLine(firstLineOf(THREAD_BACKUP)));
      throw new Error("the disk is gone");
    })();
    await expect(checkBackup(broken)).rejects.toThrow("the disk is gone");
  });
});
