import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { withoutNodeOptions } from "../../test-support/without-node-options.js";

/** The folder of the checkout. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const Manifest = z.object({ files: z.array(z.string()) });

/** The exit code and the output of a program. */
export interface Outcome {
  readonly code: number | string;
  readonly output: string;
}

/** Runs a Node program to its end. The output holds both streams. */
export function runNode(cwd: string, ...args: string[]): Promise<Outcome> {
  return runProgram(cwd, process.execPath, args);
}

/** The option of Node.js for a program that uses a PGlite for a moment, which is too short for optimized code to pay. */
export const UNOPTIMIZED_PGLITE = "--liftoff-only";

/** What the site of the documents is built from and into, by the path from {@link ROOT}. npm leaves it out of the package. */
export const OF_SITE = /^docs\/(?:api|\.vitepress)\//;

/** The folder of tarballs that test files share. `npm ci` removes it. */
const PACKED = join(ROOT, "node_modules", ".cache", "packed");

/** Packs the package as npm would publish it, and returns the path of the tarball. Reuses a tarball if no file has changed since. */
export async function pack(): Promise<string> {
  const tarball = join(PACKED, `${await stateOfPackage()}.tgz`);
  if (existsSync(tarball)) return tarball;
  await mkdir(PACKED, { recursive: true });
  const folder = await mkdtemp(join(PACKED, "draft-"));
  const options = ["--ignore-scripts", "--loglevel=error", `--pack-destination=${folder}`];
  const { code, output } = await runProgram(ROOT, "npm", ["pack", ...options]);
  if (code !== 0) throw new Error(`npm pack failed: ${output}`);
  await rename(join(folder, output.trim().split("\n").at(-1) ?? ""), tarball);
  await rm(folder, { recursive: true });
  return tarball;
}

/** A digest of the names, sizes and times of the files that may be packed. They are the same in a copy of the checkout. */
async function stateOfPackage(): Promise<string> {
  const { files } = Manifest.parse(JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")));
  const digest = createHash("sha256");
  const packed = files.filter((name) => !name.startsWith("!"));
  for (const name of ["package.json", "README.md", "LICENSE", ...packed]) {
    const inside = (await stat(join(ROOT, name))).isDirectory()
      ? await readdir(join(ROOT, name), { recursive: true })
      : [];
    const paths = [name, ...inside.sort().map((each) => join(name, each))];
    for (const path of paths.filter((each) => !OF_SITE.test(each))) {
      const found = await stat(join(ROOT, path));
      // Copying rounds times to milliseconds.
      if (found.isFile()) digest.update(`${path} ${found.size} ${Math.round(found.mtimeMs)}\n`);
    }
  }
  return digest.digest("hex");
}

/**
 * An empty project outside the checkout with the package installed: unpacked as npm would do, with its dependencies linked from
 * the checkout, so that no network is needed.
 */
export class ConsumerProject {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** @param dependencies - The packages to link, besides the package itself. */
  static async create(tarball: string, dependencies: readonly string[]): Promise<ConsumerProject> {
    const project = new ConsumerProject(await mkdtemp(join(await realpath(tmpdir()), "consumer-")));
    await mkdir(project.packageFolder, { recursive: true });
    await runProgram(project.packageFolder, "tar", ["-xzf", tarball, "--strip-components=1"]);
    for (const name of dependencies) await project.#link(name);
    return project;
  }

  get packageFolder(): string {
    return join(this.folder, "node_modules", "langgraph-checkpoint-kysely");
  }

  async write(file: string, text: string): Promise<void> {
    await writeFile(join(this.folder, file), text);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true });
  }

  /** Links another version of a package in its place: one that the checkout has under another name. */
  async replace(name: string, alias: string): Promise<void> {
    await rm(join(this.folder, "node_modules", name));
    await this.#link(name, alias);
  }

  async #link(name: string, alias = name): Promise<void> {
    const path = join(this.folder, "node_modules", name);
    await mkdir(dirname(path), { recursive: true });
    await symlink(join(ROOT, "node_modules", alias), path);
  }
}

function runProgram(cwd: string, program: string, args: readonly string[]): Promise<Outcome> {
  const env = withoutNodeOptions();
  return new Promise((resolve) => {
    execFile(program, args, { cwd, env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      resolve({
        code: error === null ? 0 : (error.code ?? error.signal ?? "unknown"),
        output: stdout + stderr,
      });
    });
  });
}
