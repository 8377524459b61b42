import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { ConsumerProject, pack, ROOT } from "./consumer-project.js";

const Manifest = z.object({
  name: z.string(),
  bin: z.record(z.string(), z.string()),
  exports: z.record(z.string(), z.unknown()),
  dependencies: z.record(z.string(), z.string()),
  peerDependencies: z.record(z.string(), z.string()),
  peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.boolean() })),
});

/** The packed package, and a project that installed it with its required peers. */
export interface InstalledPackage {
  readonly tarball: string;
  readonly project: ConsumerProject;
  readonly manifest: z.infer<typeof Manifest>;
}

/**
 * Packs the package and installs it in a new project. Needs a build, which `npm test` makes.
 *
 * @param others - What the project has beside the package and its required peers.
 */
export async function installPackage(others: readonly string[] = []): Promise<InstalledPackage> {
  await access(join(ROOT, "dist", "index.js"));
  const manifest = Manifest.parse(JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")));
  const tarball = await pack();
  const required = Object.keys(manifest.peerDependencies).filter(
    (name) => manifest.peerDependenciesMeta[name]?.optional !== true,
  );
  const project = await ConsumerProject.create(tarball, [
    ...Object.keys(manifest.dependencies),
    ...required,
    "@types/node",
    ...others,
  ]);
  return { tarball, project, manifest };
}

/** Returns the path of a program in a development dependency. */
export function tool(path: string): string {
  return join(ROOT, "node_modules", path);
}

/** TypeScript. Several threads would each check the types of LangChain that they need: run it with `--singleThreaded`. */
export const TSC = tool("typescript-native/bin/tsc");
