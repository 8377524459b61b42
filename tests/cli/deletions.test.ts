import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { describeAnyTarget } from "../../test-support/targets.js";
import { allRows } from "../backup/all-rows.js";
import { cliOn } from "./cli.js";
import { refilledDatabase, RUN_ID } from "./filled-database.js";
import { refilledStore } from "./filled-store.js";

/** Each command that deletes and has a dry run, with the options that change what it deletes. */
const DELETIONS: readonly (readonly string[])[] = [
  ["prune", "--keep-last", "1"],
  ["prune", "--keep-last", "1", "--delete-unproven"],
  ["prune", "--older-than", "0s", "--thread", "42"],
  ["prune", "42"],
  ["prune", "42", "--strategy", "delete"],
  ["delete", "42"],
  ["delete", "42", "--tombstones"],
  ["delete", "--idle", "0s"],
  ["delete", "42", "--idle", "0s", "--tombstones"],
  ["delete-runs", RUN_ID],
  ["delete-runs", RUN_ID, "--delete-unproven"],
  ["archive", "42", "--to", "FOLDER"],
  ["archive", "--keep-last", "1", "--to", "FOLDER"],
  ["archive", "--idle-for", "0s", "--to", "FOLDER", "--per", "run"],
];

describeAnyTarget("a command that deletes", (target) => {
  const filled = refilledDatabase(target);
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "checkpoint-deletions-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** Everything that is stored, and the files of the archive. */
  const state = async () => ({
    rows: await allRows(filled.database),
    tombstones: await filled.database.query("select thread_id from checkpoint_tombstones order by 1"),
    files: await readdir(folder),
  });

  it.each(DELETIONS.map((argv) => [argv.join(" "), argv] as const))(
    "deletes only with a yes, and then what the dry run says: %s",
    async (_name, given) => {
      const argv = given.map((each) => (each === "FOLDER" ? folder : each));
      const before = await state();

      const dry = await filled.run(...argv, "--dry-run");
      expect(dry).toMatchObject({ code: 0, stdout: expect.stringMatching(/^would (?:delete|archive) \d/) });
      expect(await filled.run(...argv, "--dry-run", "--yes")).toEqual(dry);
      const json = await filled.run(...argv, "--yes", "--dry-run", "--json");
      expect(JSON.parse(json.stdout)).toMatchObject({ dryRun: true });
      const answers = [
        { stdin: "no\n", isTTY: true, code: 1 },
        { stdin: "", isTTY: true, code: 1 },
        { stdin: "y\n", isTTY: false, code: 2 },
      ];
      for (const { code, ...environment } of answers)
        expect(await cliOn(filled.database, environment)(...argv)).toMatchObject({ code });
      expect(await state()).toEqual(before);

      const { code, stdout } = await filled.run(...argv, "--yes");
      const said = dry.stdout.replace(/^would (delete|archive) /, "$1d ");
      expect({ code, stdout: stdout.replace(/ in \d files?\n/, "\n") }).toEqual({ code: 0, stdout: said });
      const after = await state();
      expect(after.rows.checkpoints?.length).toBeLessThan(before.rows.checkpoints?.length ?? 0);
      expect(after.tombstones).toEqual(given.includes("--tombstones") ? [{ thread_id: "42" }] : []);
    },
  );

  it("restores with an exit code of 1 what is not complete, and names the thread", async () => {
    await filled.run("archive", "--keep-last", "1", "--to", folder, "--yes");
    await filled.run("delete", "42", "--yes");
    expect(await filled.run("restore", "42", "--from", folder)).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/\nincomplete, because [^\n]+: 42\n$/),
    });
    expect(await filled.run("restore", "44", "--from", folder)).toMatchObject({ code: 0 });
  });
});

describeAnyTarget("store delete", (target) => {
  const filled = refilledStore(target);
  const items = () => filled.database.query("select prefix, key from store order by 1, 2");

  it.each([
    [["store", "delete", "users.7", "settings"], 1],
    [["store", "delete", "users.7", "--all"], 3],
  ])("changes nothing in a dry run, even with --yes, and without an answer: %j", async (argv, deleted) => {
    const before = await items();
    for (const flags of [["--dry-run"], ["--dry-run", "--yes"]])
      expect(await filled.run(...argv, ...flags)).toMatchObject({ code: 0 });
    expect(await cliOn(filled.database, { stdin: "no\n", isTTY: true })(...argv)).toMatchObject({ code: 1 });
    expect(await cliOn(filled.database, { stdin: "y\n" })(...argv)).toMatchObject({ code: 2 });
    expect(await items()).toEqual(before);
    expect(await filled.run(...argv, "--yes")).toMatchObject({ code: 0 });
    expect(await items()).toHaveLength(before.length - deleted);
  });
});
