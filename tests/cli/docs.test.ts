import { readFile, writeFile } from "node:fs/promises";
import { beforeAll, expect, it } from "@jest/globals";
import { describePglite, type TestDatabase } from "../../test-support/targets.js";
import { blocksOf, commandsOf, pageText, rowsOf } from "../docs/samples.js";
import { cli, type CliOutcome, cliOn, SERVED } from "./cli.js";
import { fillDatabase } from "./filled-database.js";
import { fillStore } from "./filled-store.js";

const DOCS = new URL("../../docs/cli.md", import.meta.url);
const SCALE = new URL("../../docs/scale.md", import.meta.url);
/** A command line and its output. */
const BLOCK = /```console\n\$ npx langgraph-checkpoint-kysely ([^\n]+)\n([^`]*)```/g;
const WORD = /'([^']*)'|(\S+)/g;

/** Pages that an operator copies from in a hurry. */
const FOR_OPERATORS = ["in-production.md", "when-something-is-wrong.md"];
/** The exit code of wrong usage. */
const WRONG_USAGE = 2;

describePglite("the documents", (target) => {
  let database: TestDatabase;
  let run: ReturnType<typeof cliOn>;
  beforeAll(async () => {
    database = await target.migratedDatabase();
    await fillDatabase(database);
    await fillStore(database);
    run = cliOn(database, { interruptAt: SERVED });
  });

  it("show the output of the commands in docs/cli.md; CLI_DOCS=write updates it", async () => {
    const blocks = await checkBlocks(DOCS, (argv) => (argv[0] === "estimate" ? cli(argv) : run(...argv)));
    expect(blocks).toBeGreaterThan(10);
  });

  it("have commands and options that exist, in the pages for operators", async () => {
    const commands = new Set(FOR_OPERATORS.flatMap(commandsOf));
    expect(commands.size).toBeGreaterThan(10);
    for (const command of commands) {
      const { code, stderr } = await run(...command.split(" "));
      expect({ command, isUsable: code !== WRONG_USAGE, stderr }).toMatchObject({ isUsable: true });
    }
  });

  it("have SQL that the database runs, in the pages for operators", async () => {
    const blocks = FOR_OPERATORS.flatMap((page) => blocksOf(page, "sql"));
    expect(blocks.length).toBeGreaterThan(4);
    for (const block of blocks) await database.exec(block);
  });
});

it("docs/is-it-for-me.md has the figures of estimate for each of its commands", async () => {
  const rows = rowsOf(pageText("is-it-for-me.md")).filter(([command = ""]) => command.startsWith("`--"));
  expect(rows.length).toBeGreaterThan(2);
  for (const [command = "", ...cells] of rows) {
    const { stdout } = await cli(["estimate", ...command.replaceAll("`", "").split(" ")]);
    const needed = ["disk", "write-ahead log, a day", "servers"].map(
      (name) => new RegExp(`^${name} {2,}(.+?) {2,}`, "m").exec(stdout.slice(stdout.indexOf("NEEDED")))?.[1],
    );
    expect([command, ...needed]).toEqual([command, ...cells]);
  }
});

it("docs/scale.md shows the output of estimate; CLI_DOCS=write updates it", async () => {
  expect(await checkBlocks(SCALE, cli, "estimate")).toBeGreaterThan(1);
});

/**
 * Compares the blocks of a page with what their commands print, or updates them.
 *
 * @param command - Only the blocks of this command.
 * @returns The number of blocks.
 */
async function checkBlocks(
  page: URL,
  run: (argv: readonly string[]) => Promise<CliOutcome>,
  command = "",
): Promise<number> {
  const text = await readFile(page, "utf8");
  let printed = text;
  const blocks = [...text.matchAll(BLOCK)].filter(([, line]) => line?.startsWith(command));
  for (const [block, line = ""] of blocks) {
    const argv = [...line.matchAll(WORD)].map(([, quoted, bare]) => quoted ?? bare ?? "");
    const { stdout, stderr } = await run(argv);
    printed = printed.replace(
      block,
      () => `\`\`\`console\n$ npx langgraph-checkpoint-kysely ${line}\n${stdout}${stderr}\`\`\``,
    );
  }
  if (process.env.CLI_DOCS === "write") await writeFile(page, printed);
  else expect(comparable(text)).toBe(comparable(printed));
  return blocks.length;
}

/** Replaces everything that differs from run to run: ids, times, and the lengths of random versions. */
function comparable(text: string): string {
  const ids: string[] = [];
  const numbered = text.replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-6[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => {
    if (!ids.includes(id)) ids.push(id);
    return `id ${ids.indexOf(id)}`;
  });
  return numbered
    .replaceAll(/\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?Z/g, "time")
    .replaceAll(/just now|\d+ (minute|hour|day)s? ago/g, "ago")
    .replaceAll(/[\d.]+ k?B\b/g, "size")
    .replaceAll(new RegExp(SERVED, "g"), "address")
    .replaceAll(/\d{32}\.(?:0\.)?\d+|[0-9a-f]{64}/g, "random")
    .replaceAll(/ +/g, " ");
}
