import { readFile } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { expect, it } from "@jest/globals";
import {
  AbortError,
  checkBackup,
  type CheckpointDatabase,
  InvalidConfigError,
  PostgresSaver,
} from "../../src/index.js";
import { firstLineOf, formatLine, LinesChecksum } from "../../src/parsing/backup-lines.js";
import { THREAD_BACKUP } from "../../src/backup/backup-line.js";
import { AesGcmSerializer, MsgpackSerializer } from "../../src/serde/index.js";
import { collect, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { RandomThreads, type Step } from "../archive/random-threads.js";

const STEP: Step = {
  ...{ thread: "a", ns: "", back: 1, delta: "write", list: true, scalar: true, pending: true },
};

/** Seals lines again after a change, as if they had been exported so. */
function sealed(rows: readonly string[], counts: object): string[] {
  const lines = [formatLine(firstLineOf(THREAD_BACKUP)), ...rows];
  const checksum = new LinesChecksum();
  for (const line of lines) checksum.add(line);
  return [...lines, formatLine({ end: { ...counts, sha256: checksum.digest() } })];
}

const COUNTS = { threads: 1, checkpoints: 1, writes: 0, blobs: 1, bytes: 0 };

/** Changes the rows of a backup, and seals it again. */
function changed(lines: readonly string[], change: (row: string) => string | undefined): string[] {
  return sealed(
    lines.slice(1, -1).flatMap((row) => change(row) ?? []),
    COUNTS,
  );
}

describeServer("checkBackup", (target) => {
  async function linesOf(database: TestDatabase): Promise<string[]> {
    await using saver = new PostgresSaver(database.source, undefined, { splices: true });
    const threads = new RandomThreads(saver);
    for (let n = 0; n < 4; n++) await threads.add({ ...STEP, delta: n === 0 ? "whole" : "write" });
    const lines = await collect(saver.exportThreads());
    expect(lines.join("\n")).toContain("-splice");
    return lines;
  }

  it("finds no fault in an export with splices, delta channels and a long value, and decodes every value", async () => {
    const database = await target.sharedDatabase();
    await using saver = new PostgresSaver(database.source);
    await putValues(saver, threadConfig("long"), { text: randomBytes(6 * 2 ** 20).toString("hex") });
    const lines = [...(await linesOf(database))];
    expect(lines.some((line) => line.startsWith('{"piece"'))).toBe(true);
    const check = await checkBackup(lines);
    expect(check).toMatchObject({ isIntact: true, threads: 2, checkpoints: 5, faults: [], faultCount: 0 });
    const empty = lines.filter((line) => line.includes('"type":"empty"')).length;
    expect(check.decoded).toBe(check.writes + check.blobs - empty);
    expect(await checkBackup(lines, { serde: false })).toMatchObject({ isIntact: true, decoded: 0 });
  });

  it("names values that can't be decoded, and headers that are none", async () => {
    const database = await target.sharedDatabase();
    await using saver = new PostgresSaver(database.source);
    await putValues(saver, threadConfig("a"), { list: [1] });
    await database
      .kysely<CheckpointDatabase>()
      .updateTable("checkpoint_blobs")
      .set({ blob: Buffer.from([0xc1]) })
      .execute();
    const lines = await collect(saver.exportThreads());
    const { faults } = await checkBackup(lines.map((line) => line));
    expect(faults).toMatchObject([{ line: 2, threadId: "a", channel: "list" }]);
    const bad = await checkBackup(
      changed(lines, (row) => row.replaceAll('\\"channel_versions\\"', '\\"ts\\"')),
    );
    expect(bad.faults).toContainEqual(
      expect.objectContaining({ line: 3, message: expect.stringContaining('"checkpoint"') }),
    );
  });

  it("needs the keys of encrypted values only to decode them", async () => {
    const database = await target.sharedDatabase();
    const serde = new AesGcmSerializer(new MsgpackSerializer(), {
      keys: [{ id: "1", key: randomBytes(32) }],
    });
    await using saver = new PostgresSaver(database.source, serde);
    await putValues(saver, threadConfig("a"), { list: [1] });
    const lines = await collect(saver.exportThreads());
    expect(await checkBackup(lines, { serde })).toMatchObject({ isIntact: true, decoded: 1 });
    expect(await checkBackup(lines, { serde: false })).toMatchObject({ isIntact: true });
    expect(await checkBackup(lines)).toMatchObject({
      isIntact: false,
      faults: [{ line: 2, channel: "list" }],
    });
  });

  it("is intact for no prefix of a backup, and for none with a changed character", async () => {
    const lines = await linesOf(await target.sharedDatabase());
    for (let length = 0; length < lines.length; length++) {
      expect(await checkBackup(lines.slice(0, length))).toMatchObject({ isIntact: false });
    }
    for (const [at, line] of lines.entries()) {
      const middle = Math.floor(line.length / 2);
      const other = line[middle] === "1" ? "2" : "1";
      const damaged = lines.with(at, line.slice(0, middle) + other + line.slice(middle + 1));
      expect(await checkBackup(damaged)).toMatchObject({ isIntact: false });
    }
  });

  it("reports what is no backup, and lists the first 100 faults only", async () => {
    const text = await readFile(new URL("../../package.json", import.meta.url), "utf8");
    expect(await checkBackup(text.split("\n"))).toMatchObject({
      faults: [{ line: 1, message: expect.stringContaining("not a backup") }],
    });
    const pieces = Array.from({ length: 150 }, () => '{"piece":"AA=="}');
    const check = await checkBackup(sealed(pieces, { ...COUNTS }));
    expect(check).toMatchObject({ faultCount: 150, isIntact: false });
    expect(check.faults).toHaveLength(100);
    expect(check.faults[0]).toMatchObject({
      line: 2,
      message: expect.stringContaining("a piece follows no value"),
    });
  });

  it("refuses bad arguments by name, and ends by its signal", async () => {
    await expect(checkBackup("text" as never)).rejects.toThrow(InvalidConfigError);
    await expect(checkBackup([], { serde: {} as never })).rejects.toThrow("serde");
    await expect(checkBackup([], { serde: "json" as never })).rejects.toThrow("options.serde");
    await expect(checkBackup([], { keys: [] } as never)).rejects.toThrow("options.keys");
    const signal = AbortSignal.abort();
    const lines = await linesOf(await target.sharedDatabase());
    await expect(checkBackup(lines, { signal })).rejects.toThrow(AbortError);
  });
});
