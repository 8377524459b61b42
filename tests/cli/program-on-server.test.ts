import { spawn } from "node:child_process";
import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, it } from "@jest/globals";
import { ROOT, runNode } from "../package/consumer-project.js";
import { describeServer } from "../../test-support/targets.js";
import { withoutNodeOptions } from "../../test-support/without-node-options.js";
import { expectBuild, PROGRAM } from "./program.js";

beforeAll(expectBuild);

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
