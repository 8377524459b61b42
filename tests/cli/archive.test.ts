import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { describeServer } from "../../test-support/targets.js";
import { rowsOf } from "../../test-support/thread-rows.js";
import { allRows } from "../backup/all-rows.js";
import { cliOn } from "./cli.js";
import { refilledDatabase } from "./filled-database.js";

describeServer("archive and restore from the command line", (target) => {
  const filled = refilledDatabase(target);
  const { run, json } = filled;
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "checkpoint-archive-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("move threads to a folder, and back byte for byte, also into another schema", async () => {
    const before = await allRows(filled.database);
    const to = join(folder, "archive");
    expect(await run("archive", "42", "43", "none", "--to", to, "--yes")).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /^archived 6 checkpoints, .* of 2 threads in 2 files\nnot found: none\n$/,
      ),
      stderr: "",
    });
    expect(await json("show", "44")).toBeDefined();
    expect((await run("show", "42")).code).toBe(1);
    const elsewhere = ["--schema", "restored"];
    await run("migrate", ...elsewhere);
    expect(await json("restore", "42", "--from", to, ...elsewhere)).toMatchObject({
      threads: 1,
      checkpoints: 5,
    });
    expect(await run("restore", "--all", "--from", to)).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^restored 2 threads from 2 files: 6 checkpoints, /),
      stderr: "",
    });
    expect(await allRows(filled.database)).toEqual(before);
    expect((await run("restore", "43", "--from", to)).stdout).toContain("skipped 1 row that already existed");
  });

  it("count first, and change nothing in a dry run or without a yes", async () => {
    const before = await allRows(filled.database);
    const to = join(folder, "archive");
    const dry = await run("archive", "--keep-last", "1", "--to", to, "--dry-run");
    expect(dry).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^would archive 7 checkpoints, /),
      stderr: "",
    });
    const asked = cliOn(filled.database, { stdin: "n\n", isTTY: true });
    expect(await asked("archive", "--keep-last", "1", "--to", to)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("nothing was changed"),
    });
    expect(await run("archive", "--idle-for", "90d", "--to", to, "--dry-run")).toMatchObject({
      stdout: "nothing to archive\n",
    });
    expect(await allRows(filled.database)).toEqual(before);
    expect(await readdir(folder)).toEqual([]);
  });

  it("archive older checkpoints of one namespace, in one file that an older Node.js reads", async () => {
    const rule = ["--keep-last", "1", "--namespace", "", "--per", "run", "--compression", "gzip"];
    const moved = await json("archive", ...rule, "--to", folder, "--yes");
    expect(moved).toMatchObject({ threads: 3, checkpoints: 7, files: 1 });
    const [name = ""] = await readdir(folder);
    expect(name).toMatch(/^~run~.*\.ndjson\.gz$/);
    expect([...(await readFile(join(folder, name))).subarray(0, 2)]).toEqual([0x1f, 0x8b]);
    expect(await json("archive", ...rule, "--to", folder, "--yes")).toMatchObject({ threads: 0, files: 0 });
  });

  it("restore nothing from a damaged file, name it and its thread, and restore the others", async () => {
    await run("archive", "42", "43", "--to", folder, "--yes");
    const before = await allRows(filled.database);
    const [name = ""] = (await readdir(folder)).filter((each) => each.startsWith("43~"));
    await truncate(join(folder, name), 100);
    expect(await run("restore", "42", "43", "--from", folder, "--strict")).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining(`file "${name}" of the archive can't be read`),
    });
    expect(await allRows(filled.database)).toEqual(before);
    expect(await run("restore", "42", "43", "--from", folder)).toEqual({
      code: 3,
      stdout: expect.stringMatching(
        /^restored 1 thread from 1 file: .*\ndamaged files of the archive, of which nothing was restored: 43~\S+\nleft .*:\n {2}thread "43": file "43~/,
      ),
      stderr: "",
    });
    expect(await rowsOf(filled.database, "43")).toMatchObject({ checkpoints: 0 });
  });

  it("say which file an archive has lost", async () => {
    await run("archive", "--keep-last", "2", "--to", folder, "--yes");
    await run("archive", "42", "--to", folder, "--yes");
    const [older = ""] = (await readdir(folder)).filter((name) => /^42~.*\.old\./.test(name));
    await rm(join(folder, older));
    expect(await run("restore", "42", "--from", folder)).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/\nlost files of the archive, [a-z ]+: 42~\*-[\da-f]{10}\*\n$/),
    });
  });

  it("say which threads an archive does not have, and respect tombstones", async () => {
    await run("archive", "43", "44", "--to", folder, "--yes");
    await run("delete", "44", "--tombstones", "--yes");
    expect(await run("restore", "43", "42", "--from", folder)).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^restored 1 thread .*\nnot found: 42\n$/),
    });
    await run("delete", "43", "--yes");
    expect(await run("restore", "--all", "--from", folder)).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(
        /^restored 1 thread .*\ndeleted, and left \(`tombstones lift` .*\): 44\n$/,
      ),
    });
    expect(await run("restore", "44", "--from", folder, "--strict")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("`tombstones lift 44` allows writes to it again"),
    });
  });

  it("name a folder that can't be written, and keep the rows", async () => {
    const before = await allRows(filled.database);
    const file = join(folder, "file");
    await writeFile(file, "");
    expect(await run("archive", "43", "--to", file, "--yes")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: file "43~\*" of the archive can't be listed: ENOTDIR/),
    });
    expect(await allRows(filled.database)).toEqual(before);
  });

  it.each([
    ["no rule", ["archive"], /archive: name threads, or pass --older-than/],
    ["a namespace of whole threads", ["archive", "42", "--namespace", ""], /--namespace: requires/],
    ["a rule and idle threads", ["archive", "--idle-for", "1d", "--keep-last", "1"], /cannot be used with/],
    ["an unknown compression", ["archive", "42", "--compression", "lz4"], /Allowed choices are zstd, gzip/],
  ])("refuse %s", async (_what, argv, message) => {
    const outcome = await run(...argv, "--to", folder);
    expect(outcome).toEqual({ code: 2, stdout: "", stderr: expect.stringMatching(message) });
  });

  it.each([
    ["no thread", ["restore"]],
    ["threads and all", ["restore", "42", "--all"]],
  ])("refuse to restore %s", async (_what, argv) => {
    const outcome = await run(...argv, "--from", folder);
    expect(outcome).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("name threads, or pass --all"),
    });
  });
});
