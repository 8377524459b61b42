import { beforeAll, expect, it } from "@jest/globals";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { cliOn } from "../cli/cli.js";
import { fillDatabase } from "../cli/filled-database.js";
import { blocksOf, commandsOf } from "./samples.js";

/** Pages that an operator copies from in a hurry. */
const PAGES = ["in-production.md", "when-something-is-wrong.md"];
const WRONG_USAGE = 2;

describeServer("the samples of pages for operators", (target) => {
  let database: TestDatabase<string>;
  beforeAll(async () => {
    database = await target.migratedDatabase();
    await fillDatabase(database);
  });

  it("are SQL that the server runs", async () => {
    const blocks = PAGES.flatMap((page) => blocksOf(page, "sql"));
    expect(blocks.length).toBeGreaterThan(4);
    for (const block of blocks) await database.exec(block);
  });

  it("are commands and options that exist", async () => {
    const run = cliOn(database);
    const commands = PAGES.flatMap(commandsOf);
    expect(commands.length).toBeGreaterThan(20);
    for (const argv of new Set(commands.map((words) => words.join(" ")))) {
      const { code, stderr } = await run(...argv.split(" "));
      expect({ argv, isUsable: code !== WRONG_USAGE, stderr }).toMatchObject({ isUsable: true });
    }
  });
});
