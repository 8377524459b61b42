import { execFile } from "node:child_process";
import { access, chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type { CommandDefinition } from "../../src/cli/command-definition.js";
import { COMMANDS } from "../../src/cli/commands/index.js";
import { ROOT } from "../package/consumer-project.js";
import { describeServer, type TestDatabase } from "../support/targets.js";
import { cliOn } from "./cli.js";
import { fillDatabase } from "./filled-database.js";

/** The part of an example that names a database of the reader. */
const EXAMPLE_URL = " --url postgres://localhost/agents";

// The program needs a build; `npm test` builds first.
beforeAll(() => access(join(ROOT, "dist", "cli.js")));

describeServer("the examples in help", (server) => {
  let database: TestDatabase<string>;
  let folder: string;

  beforeAll(async () => {
    database = await server.createDatabase();
    folder = await mkdtemp(join(tmpdir(), "checkpoint-examples-"));
    const program = join(folder, "langgraph-checkpoint-kysely");
    const script = join(ROOT, "bin", "langgraph-checkpoint-kysely.js");
    await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`);
    await chmod(program, 0o755);
  });

  afterAll(() => rm(folder, { recursive: true }));

  it.each(COMMANDS.map((command) => [command.name, command] as const))(
    "run without an error: %s",
    async (_name, command) => {
      await database.reset();
      await fillDatabase(database);
      await cliOn(database)("migrate", "--schema", "restored");
      await cliOn(database)("migrate", "--schema", "agents");
      for (const example of examplesOf(command)) {
        const outcome = await runInShell(example.replace(EXAMPLE_URL, ""));
        expect({ example, ...outcome }).toMatchObject({
          example,
          code: 0,
          stderr: expect.not.stringMatching(/error/),
        });
      }
    },
  );

  function runInShell(line: string): Promise<{ code: number; stderr: string }> {
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

function examplesOf({ examples, subcommands = [] }: CommandDefinition): string[] {
  return [...new Set([...examples, ...subcommands.flatMap(examplesOf)])];
}
