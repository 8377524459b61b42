import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { pack, ROOT } from "../../package/consumer-project.js";
import type { Place } from "../place.js";
import type { PlaceProject } from "./place-project.js";

/** What README.md tells users to install beside the package. */
const PEERS = ["kysely", "pg", "@langchain/core", "@langchain/langgraph", "@langchain/langgraph-checkpoint"];

/** The folder of what is installed beside the project. */
export const TOOLS = "tools";

/**
 * Writes the manifest of a place, and installs what it names. The peers have the versions of the checkout, unless the place says
 * otherwise.
 */
export async function installPlace(place: Place, project: PlaceProject): Promise<void> {
  const dependencies: Record<string, string> = {};
  for (const name of PEERS) dependencies[name] = await installedVersion(name);
  Object.assign(dependencies, place.packages, { "langgraph-checkpoint-kysely": `file:${await pack()}` });
  await project.write({ "package.json": manifestOf(dependencies) });
  if (place.tools !== undefined) {
    await project.write({ [`${TOOLS}/package.json`]: manifestOf(place.tools) });
    await installByNpm(project, "--prefix", TOOLS);
  }
  await (place.install ?? installByNpm)(project);
}

function manifestOf(dependencies: object): string {
  return JSON.stringify({ name: "place", version: "1.0.0", private: true, dependencies }, undefined, 2);
}

/** Without scripts, as careful users do, and from npm's cache. */
export async function installByNpm(project: PlaceProject, ...flags: readonly string[]): Promise<void> {
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
  await project.run(["npm", "install", "--prefer-offline", "--ignore-scripts", ...quiet, ...flags]);
}

/** The version of a package in the checkout. */
export async function installedVersion(name: string): Promise<string> {
  const text = await readFile(join(ROOT, "node_modules", name, "package.json"), "utf8");
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}
