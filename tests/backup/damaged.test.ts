import { createHash } from "node:crypto";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { BackupError, PostgresSaver, ThreadDeletedError } from "../../src/index.js";
import { collect, putValues, threadConfig } from "../support/checkpoints.js";
import { describeAnyTarget, type TestDatabase } from "../support/targets.js";
import { allRows } from "./all-rows.js";

describeAnyTarget("an import", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;
  let lines: readonly string[];

  beforeAll(async () => {
    database = await target.createDatabase();
    saver = new PostgresSaver(database.source);
    await saver.setup();
    await putValues(saver, threadConfig("a"), { list: [1], text: "x" });
    lines = await collect(saver.exportThreads());
    await saver.deleteThread("a");
  });

  async function refusalOf(given: readonly string[]): Promise<BackupError> {
    const error: unknown = await saver.importThreads(given).catch((thrown: unknown) => thrown);
    if (error instanceof BackupError) return error;
    throw new Error("not refused", { cause: error });
  }

  it.each<[string, (whole: readonly string[]) => readonly string[], RegExp]>([
    ["nothing at all", () => [], /^it is empty/],
    ["what is no backup", () => ["hello"], /^line 1: this is no backup .*: unpack it, if it is compressed/],
    ["another kind of file", () => ['{"format":"else","version":1}'], /^line 1: this is no backup/],
    [
      "a newer version",
      () => ['{"format":"langgraph-checkpoint-backup","version":2}'],
      /^line 1: .*update it/,
    ],
    ["a line that is no JSON", ([first = ""]) => [first, "{"], /^line 2: it is cut off or damaged/],
    ["an unknown table", ([first = ""]) => [first, '{"table":"users"}'], /^line 2: it is damaged/],
    [
      "an unknown column",
      ([first = ""]) => [first, '{"table":"checkpoints","x":1}'],
      /^line 2: it is damaged/,
    ],
    ["a piece of nothing", ([first = ""]) => [first, '{"piece":"AAAA"}'], /a piece belongs to no value/],
    ["bytes that are no base64", ([first = ""]) => [first, blobLine('"blob":"?"')], /not base64/],
    [
      "a value too long",
      ([first = ""]) => [first, blobLine('"bytes":1e10')],
      /^line 2: it is damaged: bytes/,
    ],
    [
      "pieces that are too long",
      ([first = ""]) => [first, blobLine('"bytes":2'), '{"piece":"AAAA"}'],
      /not as long as they should be/,
    ],
    [
      "a value without its end",
      ([first = ""]) => [first, blobLine('"bytes":9'), '{"piece":"AAAA"}', blobLine('"blob":null')],
      /has not come to its end/,
    ],
    ["more behind the end", (whole) => [...whole, "{}"], /there is more behind its end/],
  ])("is refused of %s", async (_what, damage, message) => {
    const error = await refusalOf(damage(lines));
    expect(error.message).toMatch(message);
    expect(error).toMatchObject({
      code: "BACKUP_REFUSED",
      message: expect.stringContaining("nothing was restored"),
    });
    expect(Object.values(await allRows(database)).flat()).toEqual([]);
  });

  it("is refused of a backup that was cut off, wherever it was cut, and says what was restored", async () => {
    for (let length = 1; length < lines.length; length++) {
      const error = await refusalOf(lines.slice(0, length));
      expect(error.message).toContain("its end is missing");
      expect(error.restored).toBeDefined();
    }
    await saver.deleteThread("a");
  });

  it("is refused where a line was changed or left out, though each line by itself is fine", async () => {
    const changed = lines.map((line) => line.replace('\\"text\\": \\"x\\"', '\\"text\\": \\"y\\"'));
    expect(changed).not.toEqual(lines);
    expect((await refusalOf(changed)).message).toMatch(/checksum does not fit/);
    await saver.deleteThread("a");
    expect((await refusalOf([...lines.slice(0, 1), ...lines.slice(2)])).message).toMatch(/checksum/);
    await saver.deleteThread("a");
  });

  describe("of rows that are there and differ", () => {
    it("overwrites nothing, and names the first", async () => {
      await saver.importThreads(lines);
      const [checkpoint, blob] = [/checkpoint "[^"]+" is there already/, /channel "list" is there already/];
      for (const [change, message] of [
        [`update checkpoints set metadata = metadata || '{"step": 0.0}'`, checkpoint],
        ["update checkpoints set parent_checkpoint_id = 'p'", checkpoint],
        ["update checkpoint_blobs set blob = blob || '\\x00'", blob],
        ["update checkpoint_blobs set type = 'json'", blob],
      ] as const) {
        const before = await allRows(database);
        await database.exec(change);
        const changed = await allRows(database);
        expect(changed).not.toEqual(before);
        const error = await refusalOf(lines);
        expect(error).toMatchObject({ message: expect.stringMatching(message), threadId: "a" });
        expect(await allRows(database)).toEqual(changed);
        await saver.deleteThread("a");
        await saver.importThreads(lines);
      }
      await saver.deleteThread("a");
    });

    it("tells writes apart as well", async () => {
      const { config } = await putValues(saver, threadConfig("w"), { a: 1 });
      await saver.putWrites(config, [["a", 1]], "task");
      const backup = await collect(saver.exportThreads({ threads: ["w"] }));
      await database.exec("update checkpoint_writes set task_path = 'else'");
      expect((await refusalOf(backup)).message).toMatch(/channel "a" is there already, and differs/);
      await saver.deleteThread("w");
    });
  });

  it("does not bring back a thread that was deleted for good", async () => {
    const keeper = new PostgresSaver(database.source, undefined, { keepTombstones: true });
    await keeper.deleteThread("a");
    await expect(keeper.importThreads(lines)).rejects.toThrow(ThreadDeletedError);
    expect(Object.values(await allRows(database)).flat()).toEqual([]);
    await database.exec("truncate checkpoint_tombstones");
  });

  it("drops a value that was deleted while its pieces were written", async () => {
    const [first = ""] = lines;
    const body = [
      first,
      blobLine('"bytes":6'),
      '{"piece":"AAAA"}',
      '{"cancelled":true}',
      blobLine('"blob":"AQ=="'),
    ];
    const hash = createHash("sha256").update(body.map((line) => `${line}\n`).join(""));
    const end = { threads: 0, checkpoints: 0, writes: 0, blobs: 1, bytes: 1, sha256: hash.digest("hex") };
    expect(await saver.importThreads([...body, JSON.stringify({ end })])).toMatchObject({
      blobs: 1,
      bytes: 1,
    });
    await saver.deleteThread("t");
  });
});

function blobLine(bytes: string): string {
  return `{"table":"checkpoint_blobs","thread_id":"t","checkpoint_ns":"","channel":"c","version":"1","type":"json",${bytes}}`;
}
