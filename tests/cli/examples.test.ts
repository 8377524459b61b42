import { execFile, execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type { CommandDefinition } from "../../src/cli/command-definition.js";
import { COMMANDS } from "../../src/cli/commands/index.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { cli, cliOn, SERVED } from "./cli.js";
import { fillDatabase } from "./filled-database.js";
import { FILLED_SAVER } from "./filled-saver.js";
import { fillStore } from "./filled-store.js";

/** The parts of an example that name servers of the reader. */
const EXAMPLE_URL = "postgres://localhost/agents";

const EXAMPLE_REDIS = "redis://localhost:6379";

/** A command line, and what it reads, writes or is piped into. */
const REDIRECTED = /^(.*?)(?: ([<>|]) (.*))?$/;
/** The example of this command needs pgvector. `store-reembed.test.ts` runs it. */
const NEEDS_VECTORS = "store reembed";
/** The commands of this group leave the database as it is for the next one. */
const CHANGES_NOTHING = "Inspect";
/** This command changes its tables. The others change only their rows. */
const CHANGES_TABLES = "migrate";
/** Empties the schemas that the examples name, but for the records of migrations. */
const EMPTY_TABLES = `
do $$
declare name text;
begin
  for name in
    select format('%I.%I', schemaname, tablename) from pg_tables
    where schemaname in ('public', 'restored', 'agents') and tablename not like '%migration%'
  loop
    execute 'delete from ' || name;
  end loop;
end
$$`;
/** The examples with this option need Citus. `tests/scale/citus.test.ts` runs them. */
const NEEDS_CITUS = "--distribute";
/** The example with this option would open a browser. */
const OPENS_BROWSER = "--open";

describeServer("the examples in help", (server) => {
  let database: TestDatabase<string>;
  let folder: string;
  /** The words of each command, without what it reads, writes or is piped into. */
  let words: ReadonlyMap<string, readonly string[]>;
  /** Whether the database has the tables that the next command expects, and whether they hold what it expects. */
  let isMigrated = false;
  let isFilled = false;
  const workingFolder = process.cwd();

  beforeAll(async () => {
    database = await server.createDatabase();
    folder = await mkdtemp(join(tmpdir(), "checkpoint-examples-"));
    // Examples name files in the folder of the reader.
    process.chdir(folder);
    await writeFile("sqlite-saver.mjs", `${FILLED_SAVER}export default saver;`);
    words = await wordsOf(COMMANDS.flatMap(linesOf).map(({ line }) => partsOf(line).command));
  });

  afterAll(async () => {
    process.chdir(workingFolder);
    await rm(folder, { recursive: true });
  });

  it.each(COMMANDS.map((command) => [command.name, command] as const))(
    "run without an error: %s",
    async (_name, command) => {
      if (!isFilled) await fill();
      isFilled = command.group === CHANGES_NOTHING;
      isMigrated = command.name !== CHANGES_TABLES;
      for (const { example, line } of linesOf(command)) {
        expect({ example, ...(await runExample(line)) }).toMatchObject({
          example,
          code: 0,
          stderr: expect.not.stringMatching(/error/),
        });
      }
    },
  );

  async function fill(): Promise<void> {
    if (isMigrated) await database.exec(EMPTY_TABLES);
    else await migrate();
    await fillDatabase(database);
    await fillStore(database);
  }

  async function migrate(): Promise<void> {
    await database.reset();
    const run = cliOn(database);
    await run("migrate", "--with", "store", "--with", "checkpoint-store");
    await run("migrate", "--schema", "restored", "--with", "store");
    await run("migrate", "--schema", "agents");
  }

  /** The examples of a command, and the lines that run them on the servers of the tests. */
  function linesOf(command: CommandDefinition): { example: string; line: string }[] {
    return examplesOf(command)
      .filter(isRunHere)
      .map((example) => ({
        example,
        line: example
          .replaceAll(EXAMPLE_URL, database.source)
          .replace(EXAMPLE_REDIS, process.env.CHECKPOINT_TEST_REDIS ?? ""),
      }));
  }

  // In this process, which takes a tenth of the time of the program.
  async function runExample(line: string): Promise<Outcome> {
    const env = { DATABASE_URL: database.source };
    const { command, redirection, rest } = partsOf(line);
    const argv = words.get(command);
    if (argv === undefined) throw new Error(`the shell did not split: ${command}`);
    const { code, stdout, stderr } = await cli(argv, {
      ...{ env, interruptAt: SERVED },
      ...(redirection === "<" && { stdin: await readFile(rest, "utf8") }),
    });
    if (redirection === ">") await writeFile(rest, stdout);
    if (redirection === "|") execFileSync("sh", ["-c", rest], { input: stdout });
    return { code, stderr };
  }
});

interface Outcome {
  readonly code: number;
  readonly stderr: string;
}

function partsOf(line: string): { command: string; redirection: string | undefined; rest: string } {
  const [, command = "", redirection, rest = ""] = REDIRECTED.exec(line) ?? [];
  return { command, redirection, rest };
}

/**
 * Splits commands into words, as a shell does. One shell splits them all, because the process of a test is large, so it takes long to
 * start another one.
 */
async function wordsOf(commands: readonly string[]): Promise<Map<string, string[]>> {
  const script = commands.map((command) => `printf '%s\\0' ${command}; printf '\\n\\0'`).join("\n");
  const { stdout } = await promisify(execFile)("sh", ["-c", script]);
  const split = stdout.split("\n\0").map((words) => words.split("\0").slice(0, -1));
  return new Map(split.slice(0, -1).map((words, index) => [commands[index] ?? "", words]));
}

/** A run may have no Redis. */
function isRunHere(example: string): boolean {
  const isMissing = process.env.CHECKPOINT_TEST_REDIS === undefined && example.includes(EXAMPLE_REDIS);
  return !isMissing && ![NEEDS_VECTORS, NEEDS_CITUS, OPENS_BROWSER].some((part) => example.includes(part));
}

function examplesOf({ examples, subcommands = [] }: CommandDefinition): string[] {
  return [...new Set([...examples, ...subcommands.flatMap(examplesOf)])];
}
