import { describe, expect, it } from "@jest/globals";
import { PostgresSaver, ThreadDeletedError } from "../../src/index.js";
import { JsonSerializer } from "../../src/serde/index.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { rowsOf } from "../../test-support/thread-rows.js";
import { describeAnyTarget } from "../../test-support/targets.js";
import { allRows } from "../backup/all-rows.js";
import { cliOn } from "./cli.js";
import { refilledDatabase, RUN_ID } from "./filled-database.js";

const NO_ROWS = { checkpoints: 0, blobs: 0, writes: 0 };

describeAnyTarget("the commands that change threads", (target) => {
  const filled = refilledDatabase(target);
  const { run, json } = filled;

  it("copy --reencode copies numeric versions as text", async () => {
    await using numbers = new PostgresSaver(filled.database.source, new JsonSerializer());
    await putValues(numbers, threadConfig("numbers"), { plan: ["A"] });
    await json("copy", "numbers", "texts", "--reencode");
    const tuple = await numbers.getTuple(threadConfig("texts"));
    expect(tuple?.checkpoint.channel_values).toEqual({ plan: ["A"] });
    expect(tuple?.checkpoint.channel_versions.plan).toMatch(/^\d{32}\.0\./);
  });

  it("copy, fork and rollback create checkpoints, and print the new one", async () => {
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
      parent: filled.ids[2],
      values: { plan: { b: 1 }, tries: 7 },
    });
    const { checkpoint: back } = await json("rollback", "new", filled.ids[3] ?? "");
    expect(await json("state", "new")).toMatchObject({
      checkpoint: back,
      parent: filled.ids[3],
      values: { tries: 0 },
    });
    expect((await rowsOf(filled.database, "new")).checkpoints).toBe(7);
  });

  it("fork notes the channels that are new in the thread, since they may be misspelt", async () => {
    await run("copy", "42", "new");
    expect((await run("fork", "new", "--set", "tries=7")).stdout).not.toContain("note:");
    const { stdout } = await run("fork", "new", "--set", "tires=7", "--set", "tries=8");
    expect(stdout).toMatch(/of thread new\nnote: channel new in this thread: "tires"\n$/);
    expect(await json("fork", "new", "--set", "trees=8")).toMatchObject({ newChannels: ["trees"] });
  });

  describe("prune", () => {
    it("previews what it would delete, and asks for confirmation", async () => {
      const before = await allRows(filled.database);
      const argv = ["prune", "--keep-last", "1"];
      const dry = await run(...argv, "--dry-run");
      expect(dry.stdout).toMatch(
        /^would delete \d+ checkpoints, \d+ values and \d+ writes \(.*\) of 3 threads\n$/,
      );
      expect(
        await cliOn(filled.database, { isTTY: true, stdin: "no\n", env: { NO_COLOR: "1" } })(...argv),
      ).toMatchObject({
        code: 1,
        stdout: "nothing was changed\n",
        stderr: `Delete ${dry.stdout.slice("would delete ".length).trim()}? [y/N] `,
      });
      expect(await cliOn(filled.database, { isTTY: true, stdin: "" })(...argv)).toMatchObject({ code: 1 });
      expect(await allRows(filled.database)).toEqual(before);
      const done = await cliOn(filled.database, { isTTY: true, stdin: "y\n" })(...argv);
      expect(done).toMatchObject({
        code: 0,
        stdout: dry.stdout.replace("would delete ", "deleted "),
      });
      expect(await run(...argv, "--yes")).toMatchObject({ code: 0, stdout: "nothing to prune\n" });
    });

    it("fails without --yes if standard input is no terminal, and changes nothing", async () => {
      const before = await allRows(filled.database);
      for (const argv of [
        ["prune", "42"],
        ["delete", "42"],
        ["delete-runs", RUN_ID],
      ]) {
        const { code, stdout, stderr } = await cliOn(filled.database, { stdin: "y\n" })(...argv);
        expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
        expect(stderr).toMatch(/^error: --yes: [^\n]+\n$/);
      }
      expect(await allRows(filled.database)).toEqual(before);
    });

    it("keeps only the newest checkpoints of the named threads", async () => {
      expect(await json("prune", "42", "43", "--yes")).toMatchObject({
        threads: 1,
        checkpoints: 3,
        dryRun: false,
      });
      expect((await rowsOf(filled.database, "42")).checkpoints).toBe(2);
      expect((await rowsOf(filled.database, "42-copy")).checkpoints).toBe(5);
    });

    it("deletes the named threads with --strategy delete", async () => {
      expect(await json("prune", "42", "none", "--strategy", "delete", "--yes")).toMatchObject({
        threads: 1,
        missing: ["none"],
      });
      expect(await rowsOf(filled.database, "42")).toEqual(NO_ROWS);
    });

    it("selects checkpoints by age, number, thread and namespace", async () => {
      expect(await json("prune", "--older-than", "30d", "--yes")).toMatchObject({ checkpoints: 0 });
      const some = ["prune", "--older-than", "0s", "--keep-last", "2", "--thread", "42", "--namespace", ""];
      expect(await json(...some, "--batch-size", "1", "--yes")).toMatchObject({
        checkpoints: 2,
        threads: 1,
        namespaces: 1,
      });
    });

    it.each([
      ["no selection", []],
      ["threads with --keep-last", ["42", "--keep-last", "1"]],
      ["a strategy without threads", ["--strategy", "delete"]],
      ["an unknown strategy", ["42", "--strategy", "all"]],
      ["an invalid duration", ["--older-than", "30"]],
      ["an invalid number", ["--keep-last", "0"]],
    ])("exits with 2 for %s", async (_case, argv) => {
      const { code, stderr } = await run("prune", ...argv, "--yes");
      expect(code).toBe(2);
      expect(stderr).toMatch(/^error: [^\n]+\n$/);
    });
  });

  it("delete deletes threads, and keeps tombstones with --tombstones", async () => {
    expect((await run("delete", "42", "42", "43", "none", "--yes")).stdout).toMatch(
      /^deleted 2 threads with 6 checkpoints.*\nnot found: none\n$/,
    );
    expect(await rowsOf(filled.database, "42")).toEqual(NO_ROWS);
    expect(await run("delete", "42", "--yes")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("nothing to delete"),
    });
    await run("delete", "44", "--tombstones", "--yes");
    const saver = new PostgresSaver(filled.database.source, undefined, { keepTombstones: true });
    await expect(putValues(saver, threadConfig("44"), {})).rejects.toThrow(ThreadDeletedError);
    await saver.end();
  });

  it("delete and delete-runs print with --dry-run what they would delete, and change nothing", async () => {
    const before = await allRows(filled.database);
    const { stdout } = await run("delete", "42", "none", "--dry-run");
    expect(stdout).toMatch(/^would delete 1 thread with 5 checkpoints, .*\nnot found: none\n$/);
    expect(await json("delete", "--idle", "0s", "--dry-run")).toMatchObject({
      threads: 4,
      deleted: ["42", "42-copy", "43", "44"],
    });
    expect((await run("delete-runs", RUN_ID, "--dry-run")).stdout).toMatch(
      /^would delete 1 checkpoint, .* of 1 thread\n$/,
    );
    const asking = cliOn(filled.database, { isTTY: true, stdin: "no\n", env: { NO_COLOR: "1" } });
    expect((await asking("delete-runs", RUN_ID)).stderr).toMatch(/^Delete 1 checkpoint, .* of 1 thread\? /);
    expect((await asking("delete", "--idle", "0s")).stderr).toContain("Delete 4 idle threads with ");
    expect(await allRows(filled.database)).toEqual(before);
  });

  it("delete --idle deletes idle threads", async () => {
    expect((await run("delete", "--idle", "1d", "--yes")).stdout).toMatch(/^nothing to delete: /);
    expect((await run("delete", "42", "none", "--idle", "0s", "--yes")).stdout).toMatch(
      /^deleted 1 idle thread with 5 checkpoints, .*\nnot found: none\n$/,
    );
    expect(await rowsOf(filled.database, "42")).toEqual(NO_ROWS);
    const { code, stderr } = await run("delete");
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("--idle") });
  });

  it("delete-runs deletes the checkpoints of runs", async () => {
    expect(await json("delete-runs", RUN_ID, "--yes")).toMatchObject({ checkpoints: 1 });
    expect((await rowsOf(filled.database, "44")).checkpoints).toBe(1);
  });

  it("verify exits with 1 if a value can't be read", async () => {
    expect(await run("verify")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^checked .*: everything can be read\n$/),
    });
    await filled.database.exec(
      "delete from checkpoint_blobs where thread_id = '42' and channel = 'messages'",
    );
    const { code, stdout } = await run("verify", "42");
    expect(code).toBe(1);
    expect(stdout).toMatch(/^error +missing-value +.*thread "42".*messages/m);
    expect(stdout).toMatch(/\d errors?\n$/);
    expect(JSON.parse((await run("verify", "--json")).stdout)).toMatchObject({ problems: expect.any(Array) });
  });

  it("verify checks a thread with an empty id, which other savers store", async () => {
    await filled.database.exec("update checkpoints set thread_id = '' where thread_id = '43'");
    const { code, stdout } = await run("verify", "", "--json");
    expect({ code, report: JSON.parse(stdout) as unknown }).toMatchObject({
      code: 0,
      report: { threads: 1 },
    });
  });

  it("verify prints one line for each kind of notice, after the errors", async () => {
    await filled.database.exec(
      "delete from checkpoint_blobs where thread_id = '42' and channel = 'messages'",
    );
    await filled.database
      .exec(`insert into checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, checkpoint, metadata)
      select '0-' || n % 10, '', checkpoint_id || n, 'pruned', checkpoint, metadata
      from checkpoints, generate_series(1, 30) as n where thread_id = '43'`);
    const { stdout } = await run("verify");
    const kinds = stdout.split("\n").map((line) => line.split(" ")[0]);
    expect(kinds.lastIndexOf("error")).toBeLessThan(kinds.indexOf("notice"));
    const notices = stdout.split("\n").filter((line) => line.startsWith("notice"));
    expect(notices).toEqual([
      expect.stringMatching(
        /^notice +missing-parent +10 in 10 threads; first: thread "0-0", checkpoint ".*": the parent "pruned"/,
      ),
    ]);
    expect(stdout).toMatch(/\n--json lists every notice\n/);
    const { problems } = JSON.parse((await run("verify", "--json")).stdout) as { problems: unknown[] };
    expect(problems.length).toBeGreaterThan(30);
  });

  it("every command exits with 130 when the signal aborts", async () => {
    const signal = AbortSignal.abort();
    for (const argv of [["verify"], ["export"], ["prune", "42", "--yes"]]) {
      const { code, stderr } = await cliOn(filled.database, { signal })(...argv);
      expect({ argv, code }).toEqual({ argv, code: 130 });
      expect(stderr).toMatch(/^error: interrupted/);
    }
  });
});
