import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { z } from "zod";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { describeServer } from "../../test-support/targets.js";
import { withoutNodeOptions } from "../../test-support/without-node-options.js";
import { ConsumerProject, pack, ROOT, UNOPTIMIZED_PGLITE } from "./consumer-project.js";
import { tool } from "./installed-package.js";

const Manifest = z.object({ dependencies: z.record(z.string(), z.string()) });
const TIMEOUT_MS = 120_000;
const run = promisify(execFile);

/** The options of Node.js by which a program of TypeScript runs. Node.js itself strips types since 22.18. */
const RUNNERS: Readonly<Record<string, readonly string[]>> = {
  tsx: ["--import", pathToFileURL(tool("tsx/dist/loader.mjs")).href],
  ...(Reflect.get(process.features, "typescript") === "strip" && { "Node.js": [] }),
};

/** What `npm init` writes, by its version or by the choice of its user. */
const MODULES = ["commonjs", "module"];

describeServer("the block of README.md to paste", (server) => {
  let block: string;
  let project: ConsumerProject;
  let folders: string;

  beforeAll(async () => {
    const readme = await readFile(join(ROOT, "README.md"), "utf8");
    block = /^```sh\n(npm init [^]*?)^```/m.exec(readme)?.[1] ?? "";
    const [, packages = ""] = /^npm install (.*)$/m.exec(block) ?? [];
    const [, ...others] = packages.split(" ");
    const { dependencies } = Manifest.parse(JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")));
    project = await ConsumerProject.create(await pack(), [...Object.keys(dependencies), ...others]);
    folders = await mkdtemp(join(await realpath(tmpdir()), "pasted-"));
  });

  afterAll(async () => {
    await rm(folders, { recursive: true });
    await project.remove();
  });

  /** Runs the block in an empty folder, by a `node` with these options, and an `npm` that has the packages. Returns what the program says. */
  async function paste(
    name: string,
    type: string,
    options: readonly string[],
    url?: string,
  ): Promise<string[]> {
    const [folder, bin] = [join(folders, name, "app"), join(folders, name, "bin")];
    await Promise.all([mkdir(folder, { recursive: true }), mkdir(bin, { recursive: true })]);
    await symlink(join(project.folder, "node_modules"), join(folder, "node_modules"));
    await script(join(bin, "npm"), `[ "$1" = install ] || echo '{"type":"${type}"}' > package.json`);
    const node = [process.execPath, UNOPTIMIZED_PGLITE, ...options].map((each) => `'${each}'`).join(" ");
    await script(join(bin, "node"), `exec ${node} "$@"`);
    const env = { ...withoutNodeOptions(), PATH: `${bin}${delimiter}${process.env.PATH}`, DATABASE_URL: url };
    const { stdout } = await run("sh", ["-e", "-c", block], { cwd: folder, env });
    return stdout.trim().split("\n");
  }

  async function script(path: string, text: string): Promise<void> {
    await writeFile(path, `#!/bin/sh\n${text}\n`);
    await chmod(path, 0o755);
  }

  const cases = MODULES.flatMap((type) =>
    Object.entries(RUNNERS).map(([runner, options]) => ({ type, runner, options })),
  );

  it.each(cases)(
    "shows a thread that a second process continues: $type, by $runner",
    async ({ type, runner, options }) => {
      const { source } = await server.createDatabase();
      // One without a server, as a reader begins.
      const url = type === "commonjs" && runner === "tsx" ? undefined : source;
      const said = await paste(`${type}-${runner}`, type, options, url);
      expect(said).toEqual([
        "I remember: My name is Ada.",
        "I remember: My name is Ada. / I remember: My name is Ada. / Who am I?",
      ]);
      const readme = await readFile(join(ROOT, "README.md"), "utf8");
      expect(readme.replaceAll("\n", " ")).toContain(said[1]);
    },
    TIMEOUT_MS,
  );
});
