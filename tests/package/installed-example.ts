import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "@jest/globals";
import { transform } from "esbuild";
import { z } from "zod";
import { ConsumerProject, pack, ROOT } from "./consumer-project.js";

const EXAMPLES = join(ROOT, "examples");
const OURS = "langgraph-checkpoint-kysely";
const names = z.record(z.string(), z.string());

const Manifest = z.object({ version: z.string(), dependencies: names, devDependencies: names });

/** A copy of an example in a folder of its own, with the packed package in its `node_modules`, compiled to JavaScript. */
export class InstalledExample {
  readonly #project: ConsumerProject;

  private constructor(project: ConsumerProject) {
    this.#project = project;
  }

  /** @param folders - Those of the example with programs. */
  static async create(example: string, folders: readonly string[]): Promise<InstalledExample> {
    const from = join(EXAMPLES, example);
    const { dependencies } = await readManifest(from);
    const ofPackage = Object.keys((await readManifest(ROOT)).dependencies);
    const others = Object.keys(dependencies).filter((name) => name !== OURS);
    const project = await ConsumerProject.create(await pack(), [...new Set([...ofPackage, ...others])]);
    await project.write("package.json", await readFile(join(from, "package.json"), "utf8"));
    for (const folder of folders) await compile(join(from, folder), join(project.folder, folder));
    return new InstalledExample(project);
  }

  /** The path of a compiled file, or of what a build of the example writes. */
  path(name: string): string {
    return join(this.#project.folder, name);
  }

  remove(): Promise<void> {
    return this.#project.remove();
  }
}

/** Checks that an example asks npm for the versions that this repository is tested with. */
export async function expectTestedVersions(example: string): Promise<void> {
  const { version, devDependencies, dependencies } = await readManifest(ROOT);
  const needed = await readManifest(join(EXAMPLES, example));
  expect({ ...devDependencies, ...dependencies, [OURS]: `^${version}` }).toMatchObject({
    ...needed.dependencies,
    ...needed.devDependencies,
  });
}

async function readManifest(folder: string): Promise<z.infer<typeof Manifest>> {
  return Manifest.parse(JSON.parse(await readFile(join(folder, "package.json"), "utf8")));
}

async function compile(from: string, to: string): Promise<void> {
  await mkdir(to);
  for (const file of await readdir(from)) {
    const source = await readFile(join(from, file), "utf8");
    const { code } = await transform(source, { loader: "ts", target: "es2022" });
    await writeFile(join(to, file.replace(/\.ts$/, ".js")), code);
  }
}
