import { execFileSync } from "node:child_process";
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { loseValues } from "../../test-support/lose-values.js";
import { rowsOf } from "../../test-support/thread-rows.js";
import { describeAnyTarget } from "../../test-support/targets.js";
import { allRows } from "../backup/all-rows.js";
import { cliOn } from "./cli.js";
import { refilledDatabase } from "./filled-database.js";

describeAnyTarget("export and import", (target) => {
  const filled = refilledDatabase(target);
  const { run } = filled;

  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "checkpoint-backup-"));
  });

  afterEach(() => rm(folder, { recursive: true }));

  it("restore every row byte for byte", async () => {
    const file = join(folder, "all.ndjson");
    const before = await allRows(filled.database);
    expect(await run("export", "--output", file)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^exported 4 threads: 13 checkpoints, 18 values and 4 writes/),
    });
    expect(await readdir(folder)).toEqual(["all.ndjson"]);
    await filled.database.exec("truncate checkpoints, checkpoint_blobs, checkpoint_writes");
    expect((await run("import", file)).stdout).toMatch(
      /^imported 4 threads: 13 checkpoints, 18 values and 4 writes/,
    );
    expect(await allRows(filled.database)).toEqual(before);
    expect((await run("import", file)).stdout).toMatch(/skipped 35 rows that already existed\n$/);
  });

  const itWithModes = process.platform === "win32" ? it.skip : it;

  itWithModes("write a file that only its owner can read, even over an older file", async () => {
    const file = join(folder, "all.ndjson");
    await writeFile(`${file}.part`, "leftover", { mode: 0o666 });
    await writeFile(file, "old", { mode: 0o666 });
    await run("export", "--output", file);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(`${file}.part`, "utf8")).toBe("leftover");
    expect(await readdir(folder)).toEqual(["all.ndjson", "all.ndjson.part"]);
  });

  it("leave one complete file if several exports write to it", async () => {
    const file = join(folder, "all.ndjson");
    const outcomes = await Promise.all([1, 2, 3].map(() => run("export", "--output", file)));
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(await readFile(file, "utf8")).toBe((await run("export")).stdout);
    expect(await readdir(folder)).toEqual(["all.ndjson"]);
  });

  itWithModes("replace the target of a symbolic link, and keep the link", async () => {
    await mkdir(join(folder, "inner"));
    await writeFile(join(folder, "old.ndjson"), "old");
    await symlink("old.ndjson", join(folder, "link"));
    await symlink("../new.ndjson", join(folder, "inner", "dangling"));
    const { stdout } = await run("export");
    for (const [link, target] of [
      ["link", "old.ndjson"],
      ["inner/dangling", "new.ndjson"],
    ] as const) {
      expect(await run("export", "--output", join(folder, link))).toMatchObject({ code: 0 });
      expect((await lstat(join(folder, link))).isSymbolicLink()).toBe(true);
      expect(await readFile(join(folder, target), "utf8")).toBe(stdout);
    }
    await symlink("round", join(folder, "round"));
    const { code, stderr } = await run("export", "--output", join(folder, "round"));
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^error: can't write "[^"]+round": [^\n]+\n$/),
    });
  });

  itWithModes("write directly into a FIFO", async () => {
    const fifo = join(folder, "fifo");
    execFileSync("mkfifo", [fifo]);
    const [outcome, read] = await Promise.all([run("export", "--output", fifo), readFile(fifo, "utf8")]);
    expect(outcome).toMatchObject({ code: 0 });
    expect(read).toBe((await run("export")).stdout);
    expect((await stat(fifo)).isFIFO()).toBe(true);
    expect(await readdir(folder)).toEqual(["fifo"]);
  });

  /** A device of the test's own if the test runs as root, which could replace the one of the machine. */
  function fullDevice(): string {
    if (process.getuid?.() !== 0) return "/dev/full";
    const device = join(folder, "full");
    execFileSync("mknod", [device, "c", "1", "7"]);
    return device;
  }

  const itWithFullDevice = process.platform === "linux" ? it : it.skip;

  itWithFullDevice("print one line if the file can't be written", async () => {
    const full = fullDevice();
    expect(await run("export", "--output", full)).toEqual({
      code: 1,
      stdout: "",
      stderr: `error: can't write "${full}": no space left on device\n`,
    });
    expect((await stat(full)).isCharacterDevice()).toBe(true);
    const missing = join(folder, "none", "x");
    expect(await run("export", "--output", missing)).toEqual({
      code: 1,
      stdout: "",
      stderr: `error: can't write "${missing}": no such file or directory\n`,
    });
  });

  it("write only the backup to standard output, and read it from standard input", async () => {
    const { code, stdout, stderr } = await run("export", "43", "44");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\{"format":"langgraph-checkpoint-backup","version":1\}\n(\{.*\}\n)+$/);
    expect(stderr).toMatch(/^exported 2 threads: 3 checkpoints/);
    await run("delete", "43", "44", "--yes");
    expect(await cliOn(filled.database, { stdin: stdout })("import", "-", "--json")).toMatchObject({
      code: 0,
    });
    expect((await rowsOf(filled.database, "44")).checkpoints).toBe(2);
    await run("migrate", "--schema", "restored");
    expect(await cliOn(filled.database, { stdin: stdout })("import", "--schema", "restored")).toMatchObject({
      code: 0,
    });
    expect((await allRows(filled.database, "restored")).checkpoints).toHaveLength(3);
  });

  it("refuse a folder as the file", async () => {
    const { code, stdout, stderr } = await run("export", "--output", folder);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toBe(`error: --output: "${folder}" is a folder: pass the path of a file\n`);
    await expect(readdir(folder)).resolves.toEqual([]);
  });

  it("report a thread without rows, and exit with 1", async () => {
    expect(await run("export", "42", "none", "--output", join(folder, "x"))).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/missing thread none has no rows\n$/),
    });
  });

  it("store nothing of a truncated backup, and leave no file of a failed export", async () => {
    const file = join(folder, "cut.ndjson");
    await run("export", "--output", file);
    const whole = await readFile(file, "utf8");
    await writeFile(file, whole.slice(0, -200));
    await run("delete", "42", "--yes");
    const before = await allRows(filled.database);
    const { code, stderr } = await run("import", file);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: line \d+: the backup is truncated or damaged: the line is not JSON\n$/);
    expect(await allRows(filled.database)).toEqual(before);
    await run("export", "--schema", "none", "--output", join(folder, "failed"));
    expect(await readdir(folder)).toEqual(["cut.ndjson"]);
  });

  const nameOf = (backup: string) => join(folder, `${backup}.ndjson`);

  it("write what has changed since earlier backups, and restore it with them", async () => {
    const [full, first, second] = [nameOf("full"), nameOf("first"), nameOf("second")] as const;
    const since = ["--since", full, "--since", first] as const;
    await run("export", "--output", full);
    await run("delete", "43", "--yes");
    expect(await run("export", "--since", full, "--output", first)).toEqual({
      code: 0,
      stdout:
        "exported 0 threads: 0 checkpoints, 0 values and 0 writes (0 B)\ngone thread 43 has no rows any more\n",
      stderr: "",
    });
    await run("copy", "44", "45");
    expect((await run("export", ...since, "--output", second)).stdout).toMatch(/^exported 1 thread: 2 check/);
    const stored = await allRows(filled.database);
    await filled.database.exec("truncate checkpoints, checkpoint_blobs, checkpoint_writes");
    const checked = await run("import", full, first, second, "--check");
    expect(checked).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^checked 4 threads: .* intact\n$/),
    });
    expect((await run("import", full, first, second)).stdout).toMatch(/^imported 4 threads: /);
    expect(await allRows(filled.database)).toEqual(stored);
    expect((await run("export", ...since, "--since", second)).stdout.split("\n")).toHaveLength(3);
  });

  it("refuse increments without what they continue, and an output that would replace it", async () => {
    const [full, first] = [nameOf("full"), nameOf("first")] as const;
    await run("export", "--output", full);
    await run("export", "--since", full, "--output", first);
    const alone = /the backup that it continues is missing: the one with the checksum \w{64}/;
    for (const check of [[], ["--check"]]) {
      expect((await run("import", first, ...check)).code).toBe(1);
      const reversed = await run("import", first, full, ...check);
      expect(reversed.code).toBe(1);
      expect(reversed.stdout + reversed.stderr).toMatch(/backup 2 of 2: the backup is a full one/);
    }
    expect((await run("import", first)).stderr).toMatch(alone);
    expect(await run("import", full, "-")).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^error: files: name files only/),
    });
    const before = await readFile(full, "utf8");
    await symlink("full.ndjson", join(folder, "link"));
    const over = await run("export", "--since", full, "--output", join(folder, "link"));
    expect(over).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^error: --output: .*increment needs/),
    });
    expect(await readFile(full, "utf8")).toBe(before);
    expect(await run("export", "--since", join(folder, "none"))).toMatchObject({ code: 1 });
  });

  it("leave a thread with a damaged row, name it, and exit with 3, until the row is replaced", async () => {
    const file = nameOf("all");
    await run("export", "--output", file);
    const before = await allRows(filled.database);
    await filled.database.exec(`update checkpoint_blobs set whole_bytes = -5 where thread_id = '42';
      delete from checkpoints where thread_id = '43'`);
    expect(await run("import", file, "--strict")).toMatchObject({
      ...{ code: 1, stderr: expect.stringMatching(/^error: thread "42", .* with different content/) },
    });
    expect(await run("import", file)).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(
        /^imported 3 threads: 1 checkpoint, .*\nleft \(.*\):\n {2}thread "42", channel .* is already stored/,
      ),
    });
    expect(
      await run("import", file, "--thread", "42", "--thread", "none", "--replace-damaged"),
    ).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(
        /^imported 1 thread: 0 checkpoints, .*, replaced \d+ rows that could not be read, .*\nnot found: none\n$/,
      ),
    });
    expect(await allRows(filled.database)).toEqual(before);
  });

  it("copy a damaged row as it is, which --check names", async () => {
    await filled.database.exec("update checkpoint_blobs set whole_bytes = -5 where thread_id = '42'");
    const [file, before] = [nameOf("all"), await allRows(filled.database)];
    expect(await run("export", "--output", file)).toMatchObject({ code: 0 });
    expect(await run("import", file, "--check")).toMatchObject({
      ...{ code: 1, stdout: expect.stringContaining('"whole_bytes" is -5') },
    });
    await filled.database.exec("truncate checkpoints, checkpoint_blobs, checkpoint_writes");
    expect(await run("import", file)).toMatchObject({ code: 0 });
    expect(await allRows(filled.database)).toEqual(before);
  });

  it("name the rows that the server can't read, and write the others", async () => {
    await filled.database.exec(`alter table checkpoint_blobs alter blob set storage external;
      update checkpoint_blobs set blob = decode(repeat('00', 9000), 'hex') where thread_id = '42'`);
    await loseValues(filled.database, "checkpoint_blobs");
    const file = nameOf("all");
    expect(await run("export", "--output", file, "--strict")).toMatchObject({ code: 1, stdout: "" });
    expect(await run("export", "--output", file)).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(
        /^exported 4 threads: .*\ncan't be read, and not in the backup:\n {2}thread "42",.* channel .*: .* chunk number/,
      ),
    });
    expect((await run("import", file, "--check")).stdout).toMatch(
      /\nchecked 4 threads: 13 checkpoints, 9 values/,
    );
    await filled.database.exec("truncate checkpoint_blobs");
  });
});
