import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

/** The entries of the package that tests of the build use. */
interface Entries {
  readonly index: typeof import("../src/index.js");
  readonly cli: typeof import("../src/cli/index.js");
  readonly cache: typeof import("../src/cache/index.js");
  readonly "checkpoint-store": typeof import("../src/checkpoint-store/index.js");
}

/** How an entry was loaded, and what it exports. */
type Build<Entry extends keyof Entries> = [loadedBy: "import" | "require", exports: Entries[Entry]];

const DIST = new URL("../dist/", import.meta.url);
const requireFrom = createRequire(import.meta.url);

/**
 * Loads an entry of the built package, as an ES module and as CommonJS. For tests of what only the build can break. `npm test` builds first.
 *
 * @returns Rows for `describe.each`: how the entry was loaded, and what it exports.
 * @example
 * describe.each(await loadBuilds("index"))("by %s", (_, { PostgresSaver }) => { … });
 */
export async function loadBuilds<Entry extends keyof Entries>(
  entry: Entry,
): Promise<[Build<Entry>, Build<Entry>]> {
  const imported = (await import(new URL(`${entry}.js`, DIST).href)) as Entries[Entry];
  return [
    ["import", imported],
    ["require", requireBuild(entry)],
  ];
}

/** Loads an entry of the built package as CommonJS alone, as the command line is. */
export function requireBuild<Entry extends keyof Entries>(entry: Entry): Entries[Entry] {
  return requireFrom(fileURLToPath(new URL(`${entry}.cjs`, DIST))) as Entries[Entry];
}
