import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { isObject } from "../../src/serde/objects/inspect-object.js";

const require = createRequire(import.meta.url);

/** One export of an entry point of @langchain/core. */
export interface CoreExport {
  /** The entry point, such as `messages/tool`; `index` for the root. */
  readonly entry: string;
  readonly name: string;
}

/** The entry points of the installed @langchain/core, as its package.json lists them. */
export function coreEntries(): string[] {
  const manifest: unknown = JSON.parse(readFileSync(require.resolve("@langchain/core/package.json"), "utf8"));
  const exports: unknown = isObject(manifest) ? Reflect.get(manifest, "exports") : undefined;
  if (!isObject(exports)) throw new Error("@langchain/core lists no exports");
  return Object.keys(exports).filter((entry) => entry !== "./package.json");
}

/** Every export of every entry point. Loads each entry point as an ECMAScript module and by `require`. */
export async function coreExports(): Promise<CoreExport[]> {
  const found: CoreExport[] = [];
  for (const path of coreEntries()) {
    const specifier = path === "." ? "@langchain/core" : `@langchain/core/${path.slice(2)}`;
    const entry = path === "." ? "index" : path.slice(2);
    const names = new Set([
      ...Object.keys((await import(specifier)) as object),
      ...Object.keys(require(specifier) as object),
    ]);
    for (const name of names) found.push({ entry, name });
  }
  return found;
}
