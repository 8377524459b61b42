import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** The modules of a version of the package, by the names of their files. */
export interface Modules {
  readonly index: typeof import("../../src/index.js");
  readonly db: typeof import("../../src/db/index.js");
  readonly migrations: typeof import("../../src/migrations/index.js");
  readonly serde: typeof import("../../src/serde/index.js");
  readonly store: typeof import("../../src/store/index.js");
  readonly cache: typeof import("../../src/cache/index.js");
  readonly conversations: typeof import("../../src/conversations/index.js");
  readonly "checkpoint-store": typeof import("../../src/checkpoint-store/index.js");
}

/** What every version has. */
type Required = "index" | "db" | "migrations";

/** A version of the package. An earlier one lacks modules, and some of what its modules export now. */
export type Release = Pick<Modules, Required> & {
  readonly [Name in Exclude<keyof Modules, Required>]?: Partial<Modules[Name]>;
};

/**
 * Imports a version of the package.
 *
 * @param folder - Where the package is installed.
 */
export async function importRelease(folder: string): Promise<Release> {
  const load = async <Name extends keyof Modules>(name: Name): Promise<Modules[Name]> =>
    (await import(pathToFileURL(fileOf(folder, name)).href)) as Modules[Name];
  const has = (name: keyof Modules): boolean => existsSync(fileOf(folder, name));
  return {
    index: await load("index"),
    db: await load("db"),
    migrations: await load("migrations"),
    ...(has("serde") && { serde: await load("serde") }),
    ...(has("store") && { store: await load("store") }),
    ...(has("cache") && { cache: await load("cache") }),
    ...(has("conversations") && { conversations: await load("conversations") }),
    ...(has("checkpoint-store") && { "checkpoint-store": await load("checkpoint-store") }),
  };
}

function fileOf(folder: string, name: keyof Modules): string {
  return join(folder, "dist", `${name}.js`);
}

/** Whether savers of a version have a method. Options came together with methods, and early versions ignore unknown options. */
export function hasMethod(
  { index }: Release,
  name: keyof InstanceType<Modules["index"]["PostgresSaver"]>,
): boolean {
  return name in index.PostgresSaver.prototype;
}
