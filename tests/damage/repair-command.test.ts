import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { describeAnyTarget } from "../../test-support/targets.js";
import { allRows } from "../backup/all-rows.js";
import { cliOn } from "../cli/cli.js";
import { refilledDatabase } from "../cli/filled-database.js";

describeAnyTarget("repair from the command line", (target) => {
  const filled = refilledDatabase(target);
  const { run, json } = filled;
  let folder: string;
  let to: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "checkpoint-repair-"));
    to = join(folder, "repaired");
  });
  afterEach(() => rm(folder, { recursive: true }));

  const damageHeader = (set: string) =>
    filled.database.query(`update checkpoints set ${set} where checkpoint_id = $1 and thread_id = '42'`, [
      filled.ids[3],
    ]);
  const giveWrongId = () => damageHeader(`checkpoint = checkpoint || '{"id": "other"}'`);

  it("prints the plan in 80 columns and asks; keeps the thread, and mends it after a yes", async () => {
    await giveWrongId();
    const before = await allRows(filled.database);
    const ask = (stdin: string) =>
      cliOn(filled.database, { stdin, isTTY: true, columns: 80, env: { NO_COLOR: "1" } })(
        "repair",
        "--to",
        to,
      );
    const refused = await ask("n\n");
    expect(refused).toMatchObject({ code: 1, stdout: "nothing was changed\n" });
    expect(await allRows(filled.database)).toEqual(before);
    expect(await readdir(folder)).toEqual([]);
    const plan = refused.stderr.slice(refused.stderr.indexOf("ACTION")).split("\n");
    expect(Math.max(...plan.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(plan).toEqual([
      "ACTION   PROBLEM",
      `rebuild  thread "42", checkpoint "${filled.ids[3]}": the`,
      '         header has the id "other"',
      '         → derives "id" from the id and the parent',
      "",
      "would repair 1 of 1 damaged thread",
      "",
      "Change the rows of these threads? [y/N] ",
    ]);
    expect(await ask("y\n")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\nrepaired 1 of 1 damaged thread\n$/),
    });
    expect((await run("verify")).code).toBe(0);
    await run("delete", "42", "--yes");
    await run("restore", "42", "--from", to);
    expect(await allRows(filled.database)).toEqual(before);
  });

  it("needs no answer with --yes, changes nothing with --dry-run, and prints either for programs", async () => {
    expect(await run("repair", "--dry-run")).toEqual({ code: 0, stdout: "nothing is damaged\n", stderr: "" });
    await giveWrongId();
    const repairs = [{ action: "rebuild", problem: { kind: "corrupt-header", threadId: "42" } }];
    const counts = { threads: 1, repaired: 1, repairs };
    expect(await json("repair", "--dry-run")).toMatchObject({ ...counts, dryRun: true });
    expect(await json("repair", "42", "--to", to, "--yes")).toMatchObject({ ...counts, dryRun: false });
    expect(await json("repair", "42", "--to", to, "--yes")).toMatchObject({ threads: 0 });
  });

  it("exits with 3 where a thread stays damaged, and asks nothing where it can mend none", async () => {
    await damageHeader("checkpoint = '[]'");
    expect(await run("repair", "--to", to)).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(/^ACTION .*\nnone .*\nwould repair 0 of 1 damaged thread, and would leave 1 thread\n$/s), // oxfmt-ignore
      stderr: "",
    });
    expect(await run("repair", "--roll-back", "--to", to, "--yes")).toMatchObject({ code: 0 });
    expect(await json("state", "42")).toMatchObject({ parent: filled.ids[0] });
  });

  it("changes nothing where the backup is damaged", async () => {
    const backup = join(folder, "backup.ndjson");
    const { stdout } = await run("export", "42");
    await giveWrongId();
    const before = await allRows(filled.database);
    await writeFile(backup, stdout.slice(0, -30));
    const outcome = await run("repair", "--from", backup, "--to", to, "--yes");
    expect(outcome).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(/^error: .*backup/) });
    expect(await allRows(filled.database)).toEqual(before);
    expect(await readdir(folder)).toEqual(["backup.ndjson"]);
  });

  it.each([
    ["no archive", ["repair"], /--to: is missing: or pass --dry-run/],
    ["no answer without a terminal", ["repair", "--to", "DIR"], /--yes: required/],
  ])("refuses %s", async (_what, argv, message) => {
    await giveWrongId();
    const before = await allRows(filled.database);
    const outcome = await run(...argv.map((each) => (each === "DIR" ? to : each)));
    expect(outcome).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
    expect(await allRows(filled.database)).toEqual(before);
  });
});
