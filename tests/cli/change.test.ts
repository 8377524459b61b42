import { execFileSync } from "node:child_process";
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { PostgresSaver, ThreadDeletedError } from "../../src/index.js";
import { JsonSerializer } from "../../src/serde/index.js";
import { putValues, threadConfig } from "../support/checkpoints.js";
import { rowsOf } from "../support/thread-rows.js";
import { describeEachTarget, type TestDatabase } from "../support/targets.js";
import { allRows } from "../saver/backup/all-rows.js";
import { cliOn } from "./cli.js";
import { fillDatabase, RUN_ID } from "./filled-database.js";

const NO_ROWS = { checkpoints: 0, blobs: 0, writes: 0 };

describeEachTarget("changing threads", (target) => {
  let database: TestDatabase;
  let run: ReturnType<typeof cliOn>;
  let ids: readonly string[];

  beforeAll(async () => {
    database = await target.createDatabase();
    run = cliOn(database);
  });

  beforeEach(async () => {
    await database.reset();
    ({ ids } = await fillDatabase(database));
  });

  async function json(...argv: string[]): Promise<Record<string, unknown>> {
    const { code, stdout, stderr } = await run(...argv, "--json");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return JSON.parse(stdout) as Record<string, unknown>;
  }

  it("copies a thread whose versions are numbers so that they are text", async () => {
    await using numbers = new PostgresSaver(database.source, new JsonSerializer());
    await putValues(numbers, threadConfig("numbers"), { plan: ["A"] });
    await json("copy", "numbers", "texts", "--reencode");
    const tuple = await numbers.getTuple(threadConfig("texts"));
    expect(tuple?.checkpoint.channel_values).toEqual({ plan: ["A"] });
    expect(tuple?.checkpoint.channel_versions.plan).toMatch(/^\d{32}\.0\./);
  });

  it("copies, forks and rolls back, and says which checkpoint is the newest then", async () => {
    expect((await run("copy", "42", "new")).stdout).toMatch(
      /^copied 5 checkpoints, 9 values and 2 writes \(.*\) to thread new\n$/,
    );
    const { checkpoint: forked } = await json(
      "fork",
      "new",
      "--checkpoint",
      "head~1",
      "--set",
      'plan={"b":1}',
      "--set",
      "tries=7",
    );
    expect(await json("state", "new")).toMatchObject({
      checkpoint: forked,
      parent: ids[2],
      values: { plan: { b: 1 }, tries: 7 },
    });
    const { checkpoint: back } = await json("rollback", "new", ids[3] ?? "");
    expect(await json("state", "new")).toMatchObject({
      checkpoint: back,
      parent: ids[3],
      values: { tries: 0 },
    });
    expect((await rowsOf(database, "new")).checkpoints).toBe(7);
  });

  it("tells of channels that a fork sets and that had no value before, which may be misspelt", async () => {
    await run("copy", "42", "new");
    expect((await run("fork", "new", "--set", "tries=7")).stdout).not.toContain("note:");
    const { stdout } = await run("fork", "new", "--set", "tires=7", "--set", "tries=8");
    expect(stdout).toMatch(/of thread new\nnote: nothing has been written to "tires" before\n$/);
    expect(await json("fork", "new", "--set", "trees=8")).toMatchObject({ newChannels: ["trees"] });
  });

  describe("prune", () => {
    it("tells what would go, and asks before it goes", async () => {
      const before = await allRows(database);
      const argv = ["prune", "--keep-last", "1"];
      const dry = await run(...argv, "--dry-run");
      expect(dry.stdout).toMatch(
        /^would go: \d+ checkpoints, \d+ values and \d+ writes \(.*\) of 3 threads\n$/,
      );
      expect(
        await cliOn(database, { isTTY: true, stdin: "no\n", env: { NO_COLOR: "1" } })(...argv),
      ).toMatchObject({
        code: 1,
        stdout: "nothing was changed\n",
        stderr: `Prune ${dry.stdout.slice("would go: ".length).trim()}? [y/N] `,
      });
      expect(await cliOn(database, { isTTY: true, stdin: "" })(...argv)).toMatchObject({ code: 1 });
      expect(await allRows(database)).toEqual(before);
      const done = await cliOn(database, { isTTY: true, stdin: "y\n" })(...argv);
      expect(done).toMatchObject({
        code: 0,
        stdout: dry.stdout.replace("would go: ", "pruned ").replace(/(\(.*\)) of/, "$1 of"),
      });
      expect(await run(...argv, "--yes")).toMatchObject({ code: 0, stdout: "nothing to prune\n" });
    });

    it("asks nobody where nobody is, and then changes nothing", async () => {
      const before = await allRows(database);
      for (const argv of [
        ["prune", "42"],
        ["delete", "42"],
        ["delete-runs", RUN_ID],
      ]) {
        const { code, stdout, stderr } = await cliOn(database, { stdin: "y\n" })(...argv);
        expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
        expect(stderr).toMatch(/^error: --yes: [^\n]+\n$/);
      }
      expect(await allRows(database)).toEqual(before);
    });

    it("cuts the threads that are named down to their newest checkpoints", async () => {
      expect(await json("prune", "42", "43", "--yes")).toMatchObject({
        threads: 1,
        checkpoints: 3,
        dryRun: false,
      });
      expect((await rowsOf(database, "42")).checkpoints).toBe(2);
      expect((await rowsOf(database, "42-copy")).checkpoints).toBe(5);
    });

    it("deletes them whole where it is told so", async () => {
      expect(await json("prune", "42", "none", "--strategy", "delete", "--yes")).toMatchObject({
        threads: 1,
        missing: ["none"],
      });
      expect(await rowsOf(database, "42")).toEqual(NO_ROWS);
    });

    it("goes by age, by number, by thread and by namespace", async () => {
      expect(await json("prune", "--older-than", "30d", "--yes")).toMatchObject({ checkpoints: 0 });
      const some = ["prune", "--older-than", "0s", "--keep-last", "2", "--thread", "42", "--namespace", ""];
      expect(await json(...some, "--batch-size", "1", "--yes")).toMatchObject({
        checkpoints: 2,
        threads: 1,
        namespaces: 1,
      });
    });

    it.each([
      ["nothing", []],
      ["both kinds", ["42", "--keep-last", "1"]],
      ["a strategy without threads", ["--strategy", "delete"]],
      ["an unknown strategy", ["42", "--strategy", "all"]],
      ["a time that is none", ["--older-than", "30"]],
      ["a number that is none", ["--keep-last", "0"]],
    ])("is refused for %s", async (_what, argv) => {
      const { code, stderr } = await run("prune", ...argv, "--yes");
      expect(code).toBe(2);
      expect(stderr).toMatch(/^error: [^\n]+\n$/);
    });
  });

  it("deletes threads, each once, and has them stay deleted where it is told so", async () => {
    expect((await run("delete", "42", "42", "43", "none", "--yes")).stdout).toMatch(
      /^deleted 2 threads with 6 checkpoints.*\nnot there: none\n$/,
    );
    expect(await rowsOf(database, "42")).toEqual(NO_ROWS);
    expect(await run("delete", "42", "--yes")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("nothing to delete"),
    });
    await run("delete", "44", "--tombstones", "--yes");
    const saver = new PostgresSaver(database.source, undefined, { keepTombstones: true });
    await expect(putValues(saver, threadConfig("44"), {})).rejects.toThrow(ThreadDeletedError);
    await saver.end();
  });

  describe("a thread that was deleted for good", () => {
    const REFUSED =
      /^error: thread "42" was deleted at \S+ for good; `tombstones lift 42` allows it again\n$/;

    it("is refused by import, copy, fork and rollback, until its tombstone is lifted", async () => {
      const backup = (await run("export", "42")).stdout;
      const importing = cliOn(database, { stdin: backup });
      await run("delete", "42", "--tombstones", "--yes");
      expect(await importing("import")).toMatchObject({ code: 1, stderr: expect.stringMatching(REFUSED) });
      expect(await run("copy", "43", "42")).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(REFUSED),
      });
      expect(await rowsOf(database, "42")).toEqual(NO_ROWS);

      const careless = new PostgresSaver(database.source);
      await careless.importThreads(backup.trimEnd().split("\n"));
      await careless.end();
      for (const argv of [
        ["fork", "42"],
        ["rollback", "42", "head~1"],
      ]) {
        expect(await run(...argv)).toMatchObject({ code: 1, stderr: expect.stringMatching(REFUSED) });
      }
      expect(await run("tombstones", "lift", "42", "--yes")).toMatchObject({
        code: 0,
        stdout: "lifted 1 tombstone\n",
      });
      expect(await run("fork", "42")).toMatchObject({ code: 0 });
    });

    it("is listed with its age, page by page", async () => {
      expect(await run("tombstones")).toMatchObject({ code: 0, stdout: "no tombstones\n" });
      await run("delete", "42", "44", "--tombstones", "--yes");
      expect((await run("tombstones")).stdout).toMatch(
        /^THREAD +DELETED *\n42 .* just now\n44 .* just now\n$/,
      );
      expect((await run("tombstones", "--limit", "1")).stdout).toContain(
        "the next page: tombstones --limit 1 --after 42\n",
      );
      expect(await json("tombstones", "--after", "42")).toEqual({
        tombstones: [{ threadId: "44", deletedAt: expect.stringMatching(/^\d{4}-/) }],
        next: null,
      });
    });

    it("is lifted only after a yes, and one without a tombstone is named", async () => {
      await run("delete", "42", "--tombstones", "--yes");
      expect(await run("tombstones", "lift", "42")).toMatchObject({ code: 2 });
      const no = cliOn(database, { stdin: "n\n", isTTY: true });
      expect(await no("tombstones", "lift", "42")).toMatchObject({ code: 1 });
      expect(await json("tombstones", "lift", "42", "43", "--yes")).toEqual({
        lifted: ["42"],
        missing: ["43"],
      });
      expect(await run("tombstones", "lift", "42", "--yes")).toMatchObject({
        code: 0,
        stdout: "lifted 0 tombstones\nthread 42 has no tombstone\n",
      });
    });

    it("is no matter where the tables are too old for tombstones: the command says to migrate", async () => {
      await database.exec("drop table checkpoint_tombstones");
      for (const argv of [["tombstones"], ["fork", "42"], ["copy", "42", "new"]]) {
        const { code, stderr } = await run(...argv);
        expect(code).toBe(1);
        expect(stderr).toContain("migrate");
      }
    });
  });

  it("tells what it would delete, and changes nothing", async () => {
    const before = await allRows(database);
    const { stdout } = await run("delete", "42", "none", "--dry-run");
    expect(stdout).toMatch(/^would go: 1 thread with 5 checkpoints, .*\nnot there: none\n$/);
    expect(await json("delete", "--idle", "0s", "--dry-run")).toMatchObject({
      threads: 4,
      deleted: ["42", "42-copy", "43", "44"],
    });
    expect((await run("delete-runs", RUN_ID, "--dry-run")).stdout).toMatch(
      /^would go: 1 checkpoint, .* of 1 thread\n$/,
    );
    const asking = cliOn(database, { isTTY: true, stdin: "no\n", env: { NO_COLOR: "1" } });
    expect((await asking("delete-runs", RUN_ID)).stderr).toMatch(/^Delete 1 checkpoint, .* of 1 thread\? /);
    expect((await asking("delete", "--idle", "0s")).stderr).toContain("Delete 4 idle threads with ");
    expect(await allRows(database)).toEqual(before);
  });

  it("deletes threads that have been idle", async () => {
    expect((await run("delete", "--idle", "1d", "--yes")).stdout).toMatch(/^nothing to delete: /);
    expect((await run("delete", "42", "none", "--idle", "0s", "--yes")).stdout).toMatch(
      /^deleted 1 idle thread with 5 checkpoints, .*\nnot there: none\n$/,
    );
    expect(await rowsOf(database, "42")).toEqual(NO_ROWS);
    const { code, stderr } = await run("delete");
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("--idle") });
  });

  it("deletes the checkpoints of runs", async () => {
    expect(await json("delete-runs", RUN_ID, "--yes")).toMatchObject({ checkpoints: 1 });
    expect((await rowsOf(database, "44")).checkpoints).toBe(1);
  });

  it("verifies, and answers no where something can't be read", async () => {
    expect(await run("verify")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/looked at: all can be read\n$/),
    });
    await database.exec("delete from checkpoint_blobs where thread_id = '42' and channel = 'messages'");
    const { code, stdout } = await run("verify", "42");
    expect(code).toBe(1);
    expect(stdout).toMatch(/^error +missing-value +.*thread "42".*messages/m);
    expect(stdout).toMatch(/\d errors?\n$/);
    expect(JSON.parse((await run("verify", "--json")).stdout)).toMatchObject({ problems: expect.any(Array) });
  });

  it("counts the notices of a kind in one line, at the end", async () => {
    await database.exec("delete from checkpoint_blobs where thread_id = '42' and channel = 'messages'");
    await database.exec(`insert into checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, checkpoint, metadata)
      select '0-' || n % 10, '', checkpoint_id || n, 'pruned', checkpoint, metadata
      from checkpoints, generate_series(1, 30) as n where thread_id = '43'`);
    const { stdout } = await run("verify");
    const kinds = stdout.split("\n").map((line) => line.split(" ")[0]);
    expect(kinds.lastIndexOf("error")).toBeLessThan(kinds.indexOf("notice"));
    const notices = stdout.split("\n").filter((line) => line.startsWith("notice"));
    expect(notices).toEqual([
      expect.stringMatching(
        /^notice +missing-parent +30 in 10 threads; the first: thread "0-0": the parent "pruned"/,
      ),
    ]);
    expect(stdout).toMatch(/\n--json has each notice\n/);
    const { problems } = JSON.parse((await run("verify", "--json")).stdout) as { problems: unknown[] };
    expect(problems.length).toBeGreaterThan(30);
  });

  describe("a backup", () => {
    let folder: string;

    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), "checkpoint-backup-"));
    });

    afterEach(() => rm(folder, { recursive: true }));

    it("in a file brings everything back, byte for byte", async () => {
      const file = join(folder, "all.ndjson");
      const before = await allRows(database);
      expect(await run("export", "--output", file)).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^exported 4 threads: 13 checkpoints, 18 values and 4 writes/),
      });
      expect(await readdir(folder)).toEqual(["all.ndjson"]);
      await database.exec("truncate checkpoints, checkpoint_blobs, checkpoint_writes");
      expect((await run("import", file)).stdout).toMatch(
        /^imported 4 threads: 13 checkpoints, 18 values and 4 writes/,
      );
      expect(await allRows(database)).toEqual(before);
      expect((await run("import", file)).stdout).toMatch(/35 rows were there already\n$/);
    });

    const itWithModes = process.platform === "win32" ? it.skip : it;

    itWithModes("is in a file for its owner alone, whatever is left of an earlier one", async () => {
      const file = join(folder, "all.ndjson");
      await writeFile(`${file}.part`, "left", { mode: 0o666 });
      await writeFile(file, "old", { mode: 0o666 });
      await run("export", "--output", file);
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      expect(await readFile(`${file}.part`, "utf8")).toBe("left");
      expect(await readdir(folder)).toEqual(["all.ndjson", "all.ndjson.part"]);
    });

    it("is the one of the export that ended last, where two write to one file", async () => {
      const file = join(folder, "all.ndjson");
      const outcomes = await Promise.all([1, 2, 3].map(() => run("export", "--output", file)));
      expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0]);
      expect(await readFile(file, "utf8")).toBe((await run("export")).stdout);
      expect(await readdir(folder)).toEqual(["all.ndjson"]);
    });

    itWithModes("replaces what a symbolic link leads to, and leaves the link", async () => {
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

    itWithModes("goes into a FIFO or a device as it is", async () => {
      const fifo = join(folder, "fifo");
      execFileSync("mkfifo", [fifo]);
      const [outcome, read] = await Promise.all([run("export", "--output", fifo), readFile(fifo, "utf8")]);
      expect(outcome).toMatchObject({ code: 0 });
      expect(read).toBe((await run("export")).stdout);
      expect((await stat(fifo)).isFIFO()).toBe(true);
      expect(await readdir(folder)).toEqual(["fifo"]);
    });

    /** One of the test's own where it could replace that of the machine. */
    function fullDevice(): string {
      if (process.getuid?.() !== 0) return "/dev/full";
      const device = join(folder, "full");
      execFileSync("mknod", [device, "c", "1", "7"]);
      return device;
    }

    const itWithFullDevice = process.platform === "linux" ? it : it.skip;

    itWithFullDevice("says in one line why it can't be written", async () => {
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

    it("through pipes has nothing but the backup on standard output", async () => {
      const { code, stdout, stderr } = await run("export", "43", "44");
      expect(code).toBe(0);
      expect(stdout).toMatch(/^\{"format":"langgraph-checkpoint-backup","version":1\}\n(\{.*\}\n)+$/);
      expect(stderr).toMatch(/^exported 2 threads: 3 checkpoints/);
      await run("delete", "43", "44", "--yes");
      expect(await cliOn(database, { stdin: stdout })("import", "-", "--json")).toMatchObject({ code: 0 });
      expect((await rowsOf(database, "44")).checkpoints).toBe(2);
      await run("migrate", "--schema", "restored");
      expect(await cliOn(database, { stdin: stdout })("import", "--schema", "restored")).toMatchObject({
        code: 0,
      });
      expect((await allRows(database, "restored")).checkpoints).toHaveLength(3);
    });

    it("is not begun where its file would be a folder", async () => {
      const { code, stdout, stderr } = await run("export", "--output", folder);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toBe(`error: --output: "${folder}" is a folder: name a file\n`);
      await expect(readdir(folder)).resolves.toEqual([]);
    });

    it("of a thread that has no rows is none", async () => {
      expect(await run("export", "42", "none", "--output", join(folder, "x"))).toMatchObject({
        code: 1,
        stdout: expect.stringMatching(/missing thread none has no rows\n$/),
      });
    });

    it("that is cut off leaves nothing behind, and one that failed no file", async () => {
      const file = join(folder, "cut.ndjson");
      await run("export", "--output", file);
      const whole = await readFile(file, "utf8");
      await writeFile(file, whole.slice(0, -200));
      await run("delete", "42", "--yes");
      const before = await allRows(database);
      const { code, stderr } = await run("import", file);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^error: line \d+: it is cut off or damaged\n$/);
      expect(await allRows(database)).toEqual(before);
      await run("export", "--schema", "none", "--output", join(folder, "failed"));
      expect(await readdir(folder)).toEqual(["cut.ndjson"]);
    });
  });

  it("ends at Ctrl-C, and says what was done", async () => {
    const signal = AbortSignal.abort();
    for (const argv of [["verify"], ["export"], ["prune", "42", "--yes"]]) {
      const { code, stderr } = await cliOn(database, { signal })(...argv);
      expect({ argv, code }).toEqual({ argv, code: 130 });
      expect(stderr).toMatch(/^error: interrupted/);
    }
  });
});
