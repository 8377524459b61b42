import { readFile } from "node:fs/promises";
import { describe, expect, it } from "@jest/globals";
import { Kysely, PGliteDialect } from "kysely";
import { type CheckpointDatabase, openDatabase } from "../../src/db/index.js";
import { InvalidConfigError } from "../../src/index.js";
import { COMMANDS } from "../../src/cli/commands/index.js";
import type { CommandIO } from "../../src/cli/index.js";
import { describePglite } from "../../test-support/targets.js";
import { cli, cliOn, importModule } from "./cli.js";

const ON_MEMORY = ["--url", "memory://"];

describe("invalid usage", () => {
  it.each([
    ["an unknown command", ["migrat"], /unknown command 'migrat' \(Did you mean migrate\?\)/],
    ["an unknown subcommand", ["migrate", "statsu"], /Subcommands: status, down/],
    ["an unknown option", ["migrate", "--plam"], /unknown option '--plam'/],
    [
      "an id that begins with a dash",
      ["show", "-one", ...ON_MEMORY],
      /unknown option '-one'; put an id .* at the end, after --/,
    ],
    ["an option without its value", ["migrate", "--url"], /argument missing/],
    ["conflicting options", ["migrate", "--plan", "--check", ...ON_MEMORY], /cannot be used with/],
    [
      "another command's option",
      ["migrate", "down", "--plan", ...ON_MEMORY],
      /'--plan' does not apply to 'down'/,
    ],
    [
      "another command's option before it",
      ["migrate", "--check", "down", ...ON_MEMORY],
      /'--check' does not apply/,
    ],
    ["no database", ["migrate"], /--url: no database given; pass --url or set DATABASE_URL/],
    ["a database of another kind", ["migrate", "--url", "mysql://db"], /--url: must start with postgres:/],
    ["a file name", ["migrate", "--url", "./data"], /--url: must start with postgres:/],
    ["an empty schema", ["migrate", "--schema", "", ...ON_MEMORY], /--schema: must not be empty/],
    [
      "a schema name that is too long",
      ["migrate", "--schema", "ü".repeat(32), ...ON_MEMORY],
      /not be longer than 63 bytes/,
    ],
    [
      "a timeout with a unit",
      ["migrate", "--lock-timeout", "5s", ...ON_MEMORY],
      /whole milliseconds, got "5s"/,
    ],
    [
      "a timeout that is too long",
      ["migrate", "--lock-timeout", "2147483648", ...ON_MEMORY],
      /whole milliseconds/,
    ],
  ])("prints one line and exits with 2 for %s", async (_case, argv, message) => {
    const { code, stdout, stderr } = await cli(argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^error: [^\n]+\n$/);
    expect(stderr).toMatch(message);
  });

  it.each([
    ["an unknown command", ["migrat"]],
    ["a missing argument", ["show"]],
    ["an argument that can't be parsed", ["threads", "--limit", "x"]],
    ["no command", []],
  ])("prints JSON with --json for %s", async (_case, argv) => {
    const { code, stdout } = await cli([...argv, "--json"]);
    expect(code).toBe(2);
    const message = expect.stringMatching(/./);
    expect(JSON.parse(stdout)).toEqual({ error: { code: "INVALID_CONFIG", message } });
  });

  it("does not parse options after --", async () => {
    expect((await cli(["show", "--", "a", "--json"])).stdout).toBe("");
  });

  it("names DATABASE_URL if that is invalid, and ignores it if it is empty", async () => {
    const inEnvironment = (DATABASE_URL: string) => cli(["migrate"], { env: { DATABASE_URL } });
    expect((await inEnvironment("mysql://db")).stderr).toContain("DATABASE_URL: must start with");
    expect((await inEnvironment("")).stderr).toContain("no database given");
  });

  it("prints help without a command", async () => {
    const { code, stderr } = await cli([]);
    expect(code).toBe(2);
    expect(stderr).toContain("Usage: langgraph-checkpoint-kysely");
  });
});

it("reports a missing PGlite, and not a wrong connection string", async () => {
  const missing = () => Promise.reject(new InvalidConfigError("source", "needs PGlite"));
  const open = () => ({
    ...openDatabase("memory://"),
    kysely: new Kysely<CheckpointDatabase>({ dialect: new PGliteDialect({ pglite: missing }) }),
  });
  const { code, stderr } = await cli(["threads", ...ON_MEMORY], { open });
  expect({ code, stderr }).toEqual({ code: 2, stderr: "error: source: needs PGlite\n" });
});

describe("help", () => {
  it.each([[[]], [["migrate"]], [["migrate", "status"]], [["migrate", "down"]]])(
    "of %j prints examples and exit codes",
    async (command) => {
      const { code, stdout, stderr } = await cli([...command, "--help"]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toContain(["Usage: langgraph-checkpoint-kysely", ...command].join(" "));
      expect(stdout).toMatch(
        new RegExp(`Examples:\\n  \\$ npx langgraph-checkpoint-kysely ${command.join(" ")}`),
      );
      expect(stdout).toMatch(/Exit codes:\n {2}0 .*\n {2}1 .*\n {2}2 .*\n {2}3 .*\n {2}130 .*\n$/);
      for (const option of ["--url", "--schema", "--lock-timeout", "--json", "--verbose"]) {
        expect(stdout).toContain(option);
      }
    },
  );

  it.each(COMMANDS.map(({ name }) => [name]))("of %s prints examples", async (name) => {
    const { code, stdout } = await cli([name, "--help"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`Examples:\\n {2}\\$ npx langgraph-checkpoint-kysely ${name}`));
    expect((await cli(["--help"])).stdout).toMatch(new RegExp(`^ {2}${name} `, "m"));
  });

  it("wraps at the width of the terminal, and prints the heading of its own command", async () => {
    const { stdout } = await cli(["--help"], { columns: 80 });
    const lines = stdout.split("Examples:")[0]?.split("\n") ?? [];
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines).toContain("Help:");
  });

  it("lists only the options of the command", async () => {
    expect((await cli(["migrate", "--help"])).stdout).toContain("--plan");
    expect((await cli(["migrate", "status", "--help"])).stdout).not.toContain("--plan");
  });
});

it("prints the version of the package", async () => {
  const text = await readFile(new URL("../../package.json", import.meta.url), "utf8");
  const { stdout } = await cli(["--version"]);
  expect(text).toContain(`"version": "${stdout.trim()}"`);
});

describePglite("colours", (target) => {
  it("are printed to a terminal", async () => {
    const { stdout } = await cliOn(await target.createDatabase(), { isTTY: true })("migrate", "--check");
    expect(stdout).toContain("\u001b[33mpending\u001b[39m");
    expect((await cli(["migrate"], { isTTY: true })).stderr).toContain("\u001b[31merror:\u001b[39m");
  });
});

it("accepts the process as its streams and environment", () => {
  const { stdin, stdout, stderr, env } = process;
  const io: CommandIO = { stdin, stdout, stderr, env, importModule };
  expect(io.env).toBe(process.env);
});
