import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { INTERRUPT } from "@langchain/langgraph-checkpoint";
import { BackupError, PostgresSaver, ThreadDeletedError } from "../../src/index.js";
import { collect, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";
import { allRows } from "./all-rows.js";

describeAnyTarget("an import", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;
  let lines: readonly string[];

  beforeAll(async () => {
    database = await target.migratedDatabase();
    saver = new PostgresSaver(database.source);
    const { config } = await putValues(saver, threadConfig("a"), { list: [1], text: "x" });
    await saver.putWrites(config, [["text", 1]], "task");
    lines = await collect(saver.exportThreads());
    await saver.deleteThread("a");
  });
  afterAll(() => saver.end());

  async function importError(given: readonly string[]): Promise<BackupError> {
    const error: unknown = await saver
      .importThreads(given, { strict: true })
      .catch((thrown: unknown) => thrown);
    if (error instanceof BackupError) return error;
    throw new Error("the import did not fail with a BackupError", { cause: error });
  }

  it.each<[string, (whole: readonly string[]) => readonly string[], RegExp]>([
    ["an empty input", () => [], /^the backup is empty/],
    [
      "an input that is not a backup",
      () => ["hello"],
      /^line 1: the input is not a backup .*: unpack it first if it is compressed/,
    ],
    ["another format", () => ['{"format":"else","version":1}'], /^line 1: the input is not a backup/],
    [
      "a newer version",
      () => ['{"format":"langgraph-checkpoint-backup","version":2}'],
      /^line 1: .*update the library/,
    ],
    [
      "a line that is not JSON",
      ([first = ""]) => [first, "{"],
      /^line 2: the backup is truncated or damaged/,
    ],
    ...["1", '"text"', "null", "[]", "{}"].map(
      (line): [string, (whole: readonly string[]) => readonly string[], RegExp] => [
        `a line with ${line}`,
        ([first = ""]) => [first, line],
        /^line 2: the backup is damaged/,
      ],
    ),
    ["an unknown table", ([first = ""]) => [first, '{"table":"users"}'], /^line 2: the backup is damaged/],
    [
      "an unknown column",
      ([first = ""]) => [first, '{"table":"checkpoints","x":1}'],
      /^line 2: the backup is damaged/,
    ],
    ["a piece without a value", ([first = ""]) => [first, '{"piece":"AAAA"}'], /a piece follows no value/],
    ["a value that is not base64", ([first = ""]) => [first, blobLine('"blob":"?"')], /not base64/],
    [
      "a value that is too long for Postgres",
      ([first = ""]) => [first, blobLine('"bytes":1e10')],
      /^line 2: the backup is damaged: bytes/,
    ],
    [
      "pieces that are too long",
      ([first = ""]) => [first, blobLine('"bytes":2'), '{"piece":"AAAA"}'],
      /do not have the stated length/,
    ],
    [
      "an empty piece",
      ([first = ""]) => [first, blobLine('"bytes":2'), '{"piece":""}'],
      /do not have the stated length/,
    ],
    [
      "a backup that ends before the last piece",
      ([first = ""]) => withEnd([first, blobLine('"bytes":9'), '{"piece":"AAAA"}'], {}),
      /a value is incomplete/,
    ],
    [
      "a value without its last piece",
      ([first = ""]) => [first, blobLine('"bytes":9'), '{"piece":"AAAA"}', blobLine('"blob":null')],
      /a value is incomplete/,
    ],
    ["lines after the last", (whole) => [...whole, "{}"], /continues after its last line/],
  ])("refuses %s and stores nothing", async (_what, damage, message) => {
    const error = await importError(damage(lines));
    expect(error.message).toMatch(message);
    expect(error).toMatchObject({
      code: "BACKUP_REFUSED",
      message: expect.stringContaining("nothing was restored"),
    });
    expect(Object.values(await allRows(database)).flat()).toEqual([]);
  });

  it("refuses a backup truncated at any line, and reports the restored rows", async () => {
    for (let length = 1; length < lines.length; length++) {
      const error = await importError(lines.slice(0, length));
      expect(error.message).toContain("its last line is missing");
      expect(error.restored).toBeDefined();
    }
    await saver.deleteThread("a");
  });

  it("refuses a backup with a changed or missing line, though each line is valid", async () => {
    const changed = lines.map((line) => line.replace('\\"text\\": \\"x\\"', '\\"text\\": \\"y\\"'));
    expect(changed).not.toEqual(lines);
    expect((await importError(changed)).message).toMatch(/checksum does not match/);
    await saver.deleteThread("a");
    expect((await importError([...lines.slice(0, 1), ...lines.slice(2)])).message).toMatch(/checksum/);
    await saver.deleteThread("a");
  });

  describe("of rows that are stored with different content", () => {
    it.each([
      ["checkpoints", "parent_checkpoint_id = 'p'", /^thread "a", checkpoint "[^"]+" is already stored/],
      ["checkpoints", "type = 'json'", /^thread "a", checkpoint "[^"]+" is already stored/],
      [
        "checkpoints",
        `checkpoint = checkpoint || '{"v": 4.0}'`,
        /^thread "a", checkpoint "[^"]+" is already stored/,
      ],
      [
        "checkpoints",
        `metadata = metadata || '{"step": 0.0}'`,
        /^thread "a", checkpoint "[^"]+" is already stored/,
      ],
      ["checkpoint_blobs", "blob = blob || '\\x00'", /^thread "a", channel "list" is already stored/],
      ["checkpoint_blobs", "type = 'json'", /^thread "a", channel "list" is already stored/],
      ["checkpoint_blobs", "base = 'other'", /^thread "a", channel "list" is already stored/],
      [
        "checkpoint_writes",
        "blob = blob || '\\x00'",
        /^thread "a", checkpoint "[^"]+", channel "text" is already stored/,
      ],
      [
        "checkpoint_writes",
        "type = 'json'",
        /^thread "a", checkpoint "[^"]+", channel "text" is already stored/,
      ],
      [
        "checkpoint_writes",
        "channel = 'other'",
        /^thread "a", checkpoint "[^"]+", channel "text" is already stored/,
      ],
      [
        "checkpoint_writes",
        "task_path = 'else'",
        /^thread "a", checkpoint "[^"]+", channel "text" is already stored/,
      ],
    ])("overwrites nothing, and names the first such row: %s with %s", async (table, change, message) => {
      await saver.importThreads(lines);
      const before = await allRows(database);
      await database.exec(`update ${table} set ${change}`);
      const changed = await allRows(database);
      expect(changed[table]).not.toEqual(before[table]);
      const error = await importError(lines);
      expect(error).toMatchObject({
        ...{ message: expect.stringMatching(message), threadId: "a", checkpointNs: "" },
        checkpointId: /checkpoint "([^"]+)"/.exec(error.message)?.[1],
        channel: /channel "([^"]+)"/.exec(error.message)?.[1],
      });
      expect(error.message).toContain("with different content");
      expect(await allRows(database)).toEqual(changed);
      await saver.deleteThread("a");
    });

    it("names their namespace", async () => {
      await putValues(saver, threadConfig("n", { checkpoint_ns: "sub" }), { list: [1] });
      const given = await collect(saver.exportThreads({ threads: ["n"] }));
      await database.exec("update checkpoint_blobs set blob = ''");
      expect((await importError(given)).message).toBe(
        'thread "n", namespace "sub", channel "list" is already stored with different content: ' +
          "an import overwrites nothing; nothing was restored",
      );
      await saver.deleteThread("n");
    });

    it("replaces special writes by later ones, and counts only those that differ", async () => {
      const { config } = await putValues(saver, threadConfig("w"), { a: 1 });
      await saver.putWrites(config, [["a", 1]], "task");
      const backups = [];
      for (const question of ["first?", "second?"]) {
        await saver.putWrites(config, [[INTERRUPT, { value: question }]], "task");
        backups.push(await collect(saver.exportThreads({ threads: ["w"] })));
      }
      const [older = [], newer = []] = backups;
      await saver.deleteThread("w");
      await saver.importThreads(older);
      expect(await saver.importThreads(newer)).toMatchObject({ checkpoints: 0, writes: 1, skipped: 2 });
      expect(await saver.importThreads(newer)).toMatchObject({ checkpoints: 0, writes: 0, skipped: 3 });
      const tuple = await saver.getTuple(threadConfig("w"));
      expect(tuple?.pendingWrites?.[0]).toEqual(["task", INTERRUPT, { value: "second?" }]);
      await saver.deleteThread("w");
    });
  });

  it("does not restore a thread with a tombstone", async () => {
    await using keeper = new PostgresSaver(database.source, undefined, { keepTombstones: true });
    await keeper.deleteThread("a");
    await expect(keeper.importThreads(lines, { strict: true })).rejects.toThrow(ThreadDeletedError);
    expect(await keeper.importThreads(lines)).toMatchObject({ threads: 0, skipped: 0, tombstoned: ["a"] });
    expect(Object.values(await allRows(database)).flat()).toEqual([]);
    await database.exec("truncate checkpoint_tombstones");
  });

  it("skips a value that was deleted while the export read its pieces", async () => {
    const [first = ""] = lines;
    const body = [
      first,
      blobLine('"bytes":6'),
      '{"piece":"AAAA"}',
      '{"cancelled":true}',
      blobLine('"blob":"AQ=="'),
    ];
    expect(await saver.importThreads(withEnd(body, { blobs: 1, bytes: 1 }))).toMatchObject({
      blobs: 1,
      bytes: 1,
    });
    await saver.deleteThread("t");
  });

  it("stores at most 8 MiB or a thousand rows in a transaction, and reports each", async () => {
    const MB = 2 ** 20;
    const [first = ""] = lines;
    const key = (n: number) => `"thread_id":"t","checkpoint_ns":"","checkpoint_id":"${n}"`;
    const header = `"parent_checkpoint_id":null,"type":null,"checkpoint":"{}","metadata":"{}"`;
    const write = `"task_id":"x","task_path":"","idx":0,"channel":"a","type":null,"blob":"AA=="`;
    const numbers = Array.from({ length: 333 }, (_, n) => n);
    let version = 0;
    const value = (bytes: number) =>
      blobLine(`"blob":"${Buffer.alloc(bytes).toString("base64")}"`).replace('"1"', `"${++version}"`);
    const body = [
      first,
      ...[9 * MB, 4 * MB, 4 * MB, 1].map(value),
      ...numbers.map((n) => `{"table":"checkpoints",${key(n)},${header}}`),
      ...numbers.map((n) => `{"table":"checkpoint_writes",${key(n)},${write}}`),
      ...numbers.map(() => value(1)),
      value(1),
    ];
    const counts = { checkpoints: 333, writes: 333, blobs: 338, bytes: 17 * MB + 668 };
    const stored: object[] = [];
    const report = await saver.importThreads(withEnd(body, counts), {
      onProgress: (progress) => {
        stored.push(progress);
      },
    });
    const left = { damaged: [], tombstoned: [], missing: [] };
    const none = { checkpoints: 0, writes: 0, threads: 0, skipped: 0, replaced: 0, ...left };
    expect(stored).toEqual([
      { ...none, blobs: 1, bytes: 9 * MB },
      { ...none, blobs: 3, bytes: 17 * MB },
      { ...none, ...counts, blobs: 337, bytes: 17 * MB + 667 },
      { ...none, ...counts },
    ]);
    expect(report).toEqual(stored.at(-1));
    await saver.deleteThread("t");
  });
});

/** A backup that ends with these counts. */
function withEnd(body: readonly string[], counts: object): string[] {
  const hash = createHash("sha256").update(body.map((line) => `${line}\n`).join(""));
  const none = { threads: 0, checkpoints: 0, writes: 0, blobs: 0, bytes: 0 };
  return [...body, JSON.stringify({ end: { ...none, ...counts, sha256: hash.digest("hex") } })];
}

function blobLine(bytes: string): string {
  return `{"table":"checkpoint_blobs","thread_id":"t","checkpoint_ns":"","channel":"c","version":"1","type":"json",${bytes}}`;
}
