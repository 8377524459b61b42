import { execFile } from "node:child_process";
import { access, chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type { CommandDefinition } from "../../src/cli/command-definition.js";
import { COMMANDS } from "../../src/cli/commands/index.js";
import { ROOT } from "../package/consumer-project.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { cli, cliOn, SERVED } from "./cli.js";
import { fillDatabase } from "./filled-database.js";
import { fillStore } from "./filled-store.js";

/** The parts of an example that name servers of the reader. */
const EXAMPLE_URL = "postgres://localhost/agents";

const EXAMPLE_REDIS = "redis://localhost:6379";

/** Matches examples that read standard input or are piped. The others run in this process, which takes a tenth of the time. */
const NEEDS_SHELL = / [<|] /;
/** The example of this command needs pgvector. `store-reembed.test.ts` runs it. */
const NEEDS_VECTORS = "store reembed";
/** The commands of this group leave the database as it is for the next one. */
const CHANGES_NOTHING = "Inspect";
/** The examples with this option need Citus. `tests/scale/citus.test.ts` runs them. */
const NEEDS_CITUS = "--distribute";
/** The example with this option would open a browser. */
const OPENS_BROWSER = "--open";

// The program needs a build; `npm test` builds first.
beforeAll(() => access(join(ROOT, "dist", "cli.js")));

describeServer("the examples in help", (server) => {
  let database: TestDatabase<string>;
  let folder: string;
  /** Whether the database holds what the next command expects. */
  let isFilled = false;
  const workingFolder = process.cwd();

  beforeAll(async () => {
    database = await server.createDatabase();
    folder = await mkdtemp(join(tmpdir(), "checkpoint-examples-"));
    const program = join(folder, "langgraph-checkpoint-kysely");
    const script = join(ROOT, "bin", "langgraph-checkpoint-kysely.js");
    await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`);
    await chmod(program, 0o755);
    // Examples name files in the folder of the reader.
    process.chdir(folder);
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
      for (const example of examplesOf(command).filter(isRunHere)) {
        const line = example
          .replaceAll(EXAMPLE_URL, database.source)
          .replace(EXAMPLE_REDIS, process.env.CHECKPOINT_TEST_REDIS ?? "");
        const outcome = await (NEEDS_SHELL.test(line) ? runInShell(line) : runInProcess(line));
        expect({ example, ...outcome }).toMatchObject({
          example,
          code: 0,
          stderr: expect.not.stringMatching(/error/),
        });
      }
    },
  );

  async function fill(): Promise<void> {
    await database.reset();
    await fillDatabase(database);
    await fillStore(database);
    await cliOn(database)("migrate", "--with", "checkpoint-store");
    await cliOn(database)("migrate", "--schema", "restored", "--with", "store");
    await cliOn(database)("migrate", "--schema", "agents");
  }

  async function runInProcess(line: string): Promise<Outcome> {
    const env = { DATABASE_URL: database.source };
    const [command = "", file] = line.split(" > ");
    const { code, stdout, stderr } = await cli(await wordsOf(command), { env, interruptAt: SERVED });
    if (file !== undefined) await writeFile(file, stdout);
    return { code, stderr };
  }

  function runInShell(line: string): Promise<Outcome> {
    const env = {
      ...process.env,
      NODE_OPTIONS: "",
      DATABASE_URL: database.source,
      PATH: `${folder}${delimiter}${process.env.PATH ?? ""}`,
    };
    return new Promise((resolve) => {
      execFile(
        "sh",
        ["-c", `langgraph-checkpoint-kysely ${line}`],
        { cwd: folder, env },
        (error, _stdout, stderr) => {
          resolve({ code: error === null ? 0 : Number(error.code), stderr });
        },
      );
    });
  }
});

interface Outcome {
  readonly code: number;
  readonly stderr: string;
}

/** Splits a command line into words, as a shell does. */
async function wordsOf(line: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)("sh", ["-c", `printf '%s\\0' ${line}`]);
  return stdout.split("\0").slice(0, -1);
}

/** A run may have no Redis. */
function isRunHere(example: string): boolean {
  const isMissing = process.env.CHECKPOINT_TEST_REDIS === undefined && example.includes(EXAMPLE_REDIS);
  return !isMissing && ![NEEDS_VECTORS, NEEDS_CITUS, OPENS_BROWSER].some((part) => example.includes(part));
}

function examplesOf({ examples, subcommands = [] }: CommandDefinition): string[] {
  return [...new Set([...examples, ...subcommands.flatMap(examplesOf)])];
}
