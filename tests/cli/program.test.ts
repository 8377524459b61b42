import { access, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { z } from "zod";
import { ROOT, runNode, UNOPTIMIZED_PGLITE } from "../package/consumer-project.js";
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
    const { output } = await runNode(ROOT, join(ROOT, "tests/package/list-loaded.cjs"), "^$", BUILT);
    const paths = z.array(z.string()).parse(JSON.parse(output));
    const packages = new Set(paths.flatMap((path) => /.*\/node_modules\/([^/]+)/.exec(path)?.[1] ?? []));
    const ofTables = ["ansi-regex", "emoji-regex", "is-fullwidth-code-point", "string-width", "strip-ansi"];
    expect([...packages].filter((name) => !ofTables.includes(name)).sort()).toEqual([
      "cli-table3",
      "commander",
      "zod",
    ]);
  });

  it("prints one line about an invalid folder", async () => {
    const outcome = await runNode(folder, PROGRAM, "migrate", "--url", `file://${PROGRAM}/data`);
    expect(outcome).toEqual({ code: 1, output: expect.stringMatching(/^error: [^\n]+\n$/) });
  });
});
