import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { ArchiveError, archiveFolder, PostgresSaver } from "../../src/index.js";
import { readRows } from "../../src/archive/files/archive-file.js";
import { linesOf, STDIN, readText } from "../../src/cli/files/read-file.js";
import { openTerminal } from "../../src/cli/terminal/terminal.js";
import { MAX_LINE_BYTES } from "../../src/parsing/split-lines.js";
import { PostgresStore } from "../../src/store/index.js";
import { collect, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { IS_LONG } from "../../test-support/runs.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";
import { cliOn, importModule } from "../cli/cli.js";
import { allRows } from "./all-rows.js";

/** The bound of the readers here, which is longer than the lines that the tests export. */
const MAX = 2_000;
const TOO_LONG = `is longer than ${MAX} bytes, the most that can be read`;

describeAnyTarget("a line that is too long", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;
  let store: PostgresStore;
  let folder: string;
  beforeAll(async () => {
    database = await target.migratedDatabase();
    saver = new PostgresSaver(database.source);
    store = new PostgresStore(database.source);
    await store.put(["a"], "k", { text: "x" });
    await putValues(saver, threadConfig("a"), { list: [1] });
    folder = await mkdtemp(join(tmpdir(), "checkpoint-lines-"));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
    await saver.end();
    await store.end();
  });

  /** Standard input, and the lines that a command reads from it. */
  function piped(content: readonly string[], maxBytes: number) {
    const stdin = Object.assign(Readable.from(content.map((line) => Buffer.from(line))), { isTTY: false });
    const io = { stdout: { write: () => true }, stderr: { write: () => true }, stdin, env: {}, importModule };
    const { signal } = new AbortController();
    return { stdin, lines: linesOf({ terminal: openTerminal(io, false), signal }, STDIN, maxBytes) };
  }

  /** A part of a backup, and the beginning of a line without end. */
  const cut = (lines: readonly string[], most: number): string[] => [
    ...lines.slice(0, most).map((line) => `${line}\n`),
    ...Array.from({ length: 1_000 }, () => "x".repeat(1_000)),
  ];

  it("ends an import as a damaged line does: named, with what was stored, and nothing more is read", async () => {
    const lines = await collect(saver.exportThreads());
    await saver.deleteThread("a");
    const { stdin, lines: read } = piped(cut(lines, 3), MAX);
    await expect(saver.importThreads(read)).rejects.toMatchObject({
      ...{ name: "BackupError", code: "BACKUP_REFUSED", line: 4, restored: expect.anything() },
      message: expect.stringContaining(`line 4: the line of standard input ${TOO_LONG}; `),
    });
    expect(stdin.destroyed).toBe(true);
    expect(stdin.readableEnded).toBe(false);
    await saver.importThreads(
      piped(
        lines.map((line) => `${line}\n`),
        MAX,
      ).lines,
    );
  });

  it("ends an import of items in the same way", async () => {
    const lines = await collect(store.exportItems());
    const { stdin, lines: read } = piped(cut(lines, 2), MAX);
    await expect(store.importItems(read)).rejects.toMatchObject({
      ...{ name: "StoreBackupError", code: "BACKUP_REFUSED", line: 3 },
      message: expect.stringContaining(
        `line 3: the line of standard input ${TOO_LONG}; nothing was restored`,
      ),
    });
    expect(stdin.destroyed).toBe(true);
  });

  it.each([
    ["plain", (text: string) => Buffer.from(text)],
    ["compressed", (text: string) => gzipSync(text)],
  ])("ends a read of a file of an archive, which is named: %s", async (_what, encoded) => {
    const [first = ""] = await collect(saver.exportThreads());
    const content = Readable.from([encoded(`${first}\n${"x".repeat(1_000_000)}`)]);
    const file = {
      ...{ name: "a.ndjson", signal: undefined, maxLineBytes: MAX },
      target: { ...archiveFolder(folder), read: () => content },
    };
    const error: unknown = await collect(readRows(file)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ArchiveError);
    expect(error).toMatchObject({
      file: "a.ndjson",
      message: `file "a.ndjson" of the archive can't be read: line 2: the line ${TOO_LONG}`,
    });
    expect(content.destroyed).toBe(true);
  });

  it("ends a read of a value from standard input", async () => {
    const { signal } = new AbortController();
    const stdin = Readable.from(["ü".repeat(600), "ü".repeat(600)]);
    await expect(readText(stdin, { signal, field: "value", maxBytes: MAX })).rejects.toMatchObject({
      ...{ code: "INVALID_CONFIG", message: `value: must not be longer than ${MAX} bytes` },
    });
    expect(stdin.destroyed).toBe(true);
    const split = Readable.from([Buffer.from("ü").subarray(0, 1), Buffer.from("ü").subarray(1)]);
    expect(await readText(split, { signal, field: "value", maxBytes: 2 })).toBe("ü");
  });

  // Half a gigabyte passes through each of these commands.
  const describeLong = IS_LONG ? describe : describe.skip;

  describeLong("of the commands", () => {
    const MEMBER = gzipSync("x".repeat(2 ** 20));
    const LINE = `line 2: the line of "FILE" is longer than ${MAX_LINE_BYTES} bytes, the most that can be read`;

    async function fileOf(name: string, first: string): Promise<string> {
      const path = join(folder, name);
      const file = await open(path, "w");
      const isCompressed = name.endsWith(".gz");
      await file.writeFile(isCompressed ? gzipSync(first) : first);
      // A compressed file may consist of several. Of the other one, what was not written reads as zeros and takes no room.
      if (isCompressed) for (let count = 0; count < 700; count++) await file.write(MEMBER);
      else await file.truncate(700 * 2 ** 20);
      await file.close();
      return path;
    }

    it.each(["long.ndjson", "long.ndjson.gz"])("ends import and restore: %s", async (name) => {
      const [first = ""] = await collect(saver.exportThreads());
      const [firstOfItems = ""] = await collect(store.exportItems());
      const before = await allRows(database);
      const run = cliOn(database);
      const path = await fileOf(name, `${first}\n`);
      const [problem, refused] = [LINE.replace("FILE", path), { code: 1, stdout: "" }];
      const error = { ...refused, stderr: expect.stringContaining(problem) };
      expect(await run("import", path)).toMatchObject(error);
      expect(await run("import", path, "--check")).toMatchObject({
        ...{ code: 1, stdout: expect.stringContaining("the most that can be read") },
      });
      expect(await run("export", "--since", path)).toMatchObject({ code: 1 });
      const items = await fileOf(`items-${name}`, `${firstOfItems}\n`);
      expect(await run("store", "import", items)).toMatchObject({
        ...{ code: 1, stderr: expect.stringContaining(LINE.replace("FILE", items)) },
      });
      const archived = "a~20260101T000000000Z-0123456789.ndjson.gz";
      await fileOf(archived, `${first}\n`);
      expect(await run("restore", "a", "--from", folder)).toMatchObject({
        ...{
          code: 1,
          stderr: expect.stringContaining(`file "${archived}" of the archive can't be read: line 2: `),
        },
      });
      expect(await allRows(database)).toEqual(before);
    });
  });
});
