import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { transform } from "esbuild";
import { z } from "zod";
import { ConsumerProject, pack, ROOT } from "../package/consumer-project.js";

const EXAMPLE = join(ROOT, "examples/service");
const OURS = "langgraph-checkpoint-kysely";
const names = z.record(z.string(), z.string());

/** The manifest of the example, and of the repository. */
export const Manifest = z.object({ dependencies: names, devDependencies: names });

/** A copy of the example in a folder of its own, with the packed package in its `node_modules`, compiled to JavaScript. */
export class InstalledService {
  readonly #project: ConsumerProject;

  private constructor(project: ConsumerProject) {
    this.#project = project;
  }

  static async create(): Promise<InstalledService> {
    const { dependencies } = await readManifest(EXAMPLE);
    const ofPackage = Object.keys((await readManifest(ROOT)).dependencies);
    const others = Object.keys(dependencies).filter((name) => name !== OURS);
    const project = await ConsumerProject.create(await pack(), [...new Set([...ofPackage, ...others])]);
    await project.write("package.json", await readFile(join(EXAMPLE, "package.json"), "utf8"));
    for (const folder of ["src", "load"]) await compile(project.folder, folder);
    return new InstalledService(project);
  }

  /** The program of the service. */
  get main(): string {
    return join(this.#project.folder, "src/main.js");
  }

  /** The program of the load. */
  get load(): string {
    return join(this.#project.folder, "load/main.js");
  }

  remove(): Promise<void> {
    return this.#project.remove();
  }
}

/** Reads the manifest in a folder. */
export async function readManifest(folder: string): Promise<z.infer<typeof Manifest>> {
  return Manifest.parse(JSON.parse(await readFile(join(folder, "package.json"), "utf8")));
}

async function compile(target: string, folder: string): Promise<void> {
  await mkdir(join(target, folder));
  for (const file of await readdir(join(EXAMPLE, folder))) {
    const source = await readFile(join(EXAMPLE, folder, file), "utf8");
    const { code } = await transform(source, { loader: "ts", target: "es2022" });
    const compiled = join(target, folder, file.replace(/\.ts$/, ".js"));
    await mkdir(dirname(compiled), { recursive: true });
    await writeFile(compiled, code);
  }
}
