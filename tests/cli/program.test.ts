import { spawn } from "node:child_process";
import { access, mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { ROOT, runNode, UNOPTIMIZED_PGLITE } from "../package/consumer-project.js";
import { describeServer } from "../../test-support/targets.js";
import { withoutNodeOptions } from "../../test-support/without-node-options.js";

const PROGRAM = join(ROOT, "bin", "langgraph-checkpoint-kysely.js");

// The program needs a build; `npm test` builds first.
beforeAll(() => access(join(ROOT, "dist", "cli.cjs")));

describe("the program", () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "checkpoint-cli-"));
  });

  afterEach(() => rm(folder, { recursive: true }));

  it("keeps the database of a folder between runs, and exits with the exit code of the command", async () => {
    const run = (...argv: string[]) =>
      runNode(folder, UNOPTIMIZED_PGLITE, PROGRAM, ...argv, "--url", `file://${folder}/data`);
    expect(await run("migrate")).toMatchObject({ code: 0 });
    expect(await run("migrate", "--check")).toEqual({ code: 0, output: 'schema "public" is up to date\n' });
  });

  it("creates no database in a folder without one, unless it migrates", async () => {
    const missing = join(folder, "typo");
    expect(await runNode(folder, PROGRAM, "threads", "--url", `file://${missing}`)).toEqual({
      code: 1,
      output: `error: no database found in folder "${missing}"; \`migrate\` creates one\n`,
    });
    await expect(access(missing)).rejects.toThrow("ENOENT");
  });

  it("exits with 2 for invalid usage", async () => {
    expect(await runNode(folder, PROGRAM, "migrate", "--what")).toEqual({
      code: 2,
      output: "error: unknown option '--what'\n",
    });
  });

  it("loads for help only the packages that parse and print", async () => {
    const loaded = new Set<string>();
    const open = [join(ROOT, "dist", "cli.cjs")];
    const seen = new Set(open);
    for (let file = open.pop(); file !== undefined; file = open.pop()) {
      const source = await readFile(file, "utf8");
      for (const [, name = ""] of source.matchAll(/^(?:let|const) .*\brequire\("([^"]+)"\)?\);$/gm)) {
        const path = join(dirname(file), name);
        if (!name.startsWith(".")) loaded.add(name);
        else if (!seen.has(path)) open.push(path);
        if (name.startsWith(".")) seen.add(path);
      }
    }
    const packages = [...loaded].filter((name) => !name.startsWith("node:"));
    expect(packages.sort()).toEqual(["cli-table3", "commander", "zod"]);
  });

  it("prints one line about an invalid folder", async () => {
    const outcome = await runNode(folder, PROGRAM, "migrate", "--url", `file://${PROGRAM}/data`);
    expect(outcome).toEqual({ code: 1, output: expect.stringMatching(/^error: [^\n]+\n$/) });
  });
});

describeServer("the program", (server) => {
  it("closes its connections after success and failure, so that the process ends", async () => {
    const { source } = await server.createDatabase();
    const [migrated, failed] = await Promise.all([
      runNode(ROOT, PROGRAM, "migrate", "--url", source),
      runNode(ROOT, PROGRAM, "migrate", "--url", `${source}_missing`),
    ]);
    expect(migrated).toMatchObject({ code: 0 });
    expect(failed).toEqual({
      code: 1,
      output: expect.stringMatching(
        /^error: database ".*_missing" does not exist \(SQLSTATE 3D000\); .* create the database\n$/,
      ),
    });
  });

  it("imports a module of the user that awaits at its top level", async () => {
    const { source } = await server.sharedDatabase();
    const folder = await mkdtemp(join(tmpdir(), "checkpoint-cli-"));
    const file = join(folder, "memory-options.mjs");
    await writeFile(
      file,
      "export default await Promise.resolve({ index: { dims: 2, embed: (texts) => texts } });",
    );
    // The next obstacle is that the database has no items.
    expect(await runNode(ROOT, PROGRAM, "store", "reembed", file, "--url", source)).toEqual({
      code: 1,
      output: expect.stringContaining("the tables of the store"),
    });
    await rm(folder, { recursive: true });
  });

  const itWithFullDevice = process.platform === "linux" ? it : it.skip;

  itWithFullDevice("prints one line and exits with 1 if its output can't be written", async () => {
    const { source } = await server.sharedDatabase();
    const commands = [["--help"], ["threads"], ["tombstones", "--json"], ["export"]];
    const outcomes = await Promise.all(
      commands.map((argv) => {
        const url = argv[0] === "--help" ? [] : ["--url", source];
        return runIntoFullDevice([PROGRAM, ...argv, ...url]);
      }),
    );
    const stderr = "error: can't write standard output: no space left on device\n";
    expect(outcomes.map((outcome, index) => ({ argv: commands[index], ...outcome }))).toEqual(
      commands.map((argv) => ({ argv, code: 1, stderr })),
    );
  });
});

async function runIntoFullDevice(args: readonly string[]): Promise<{ code: number | null; stderr: string }> {
  const full = await open("/dev/full", "w");
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", full.fd, "pipe"],
    env: withoutNodeOptions(),
  });
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  await full.close();
  return { code, stderr };
}
