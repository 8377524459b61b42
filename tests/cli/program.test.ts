import { access, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { runNode, UNOPTIMIZED_PGLITE } from "../package/consumer-project.js";
import { BUILT, expectBuild, PROGRAM } from "./program.js";

beforeAll(expectBuild);

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
    const open = [BUILT];
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
