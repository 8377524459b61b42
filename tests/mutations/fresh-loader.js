import { stripTypeScriptTypes } from "node:module";
import { URL } from "node:url";

const ROOT = new URL("../../", import.meta.url).href;

/** What keeps nothing that a mutation changes, or has to be the same for every run. */
const SHARED = ["node_modules/", "dist/", "test-support/shared-modules/"].map((folder) => `${ROOT}${folder}`);

/** The compiled files. Without this, each run would compile all of them again. */
const compiled = new Map();

/** Resolves what a file of one run imports to the copy of that run, which the URL names by `?run=`. */
export function resolve(specifier, context, next) {
  const [parentURL = "", run] = context.parentURL?.split("?run=") ?? [];
  const resolved = next(specifier, { ...context, parentURL });
  const { url } = resolved;
  const isShared = !url.startsWith(ROOT) || SHARED.some((folder) => url.startsWith(folder));
  return run === undefined || isShared ? resolved : { ...resolved, url: `${url}?run=${run}` };
}

/** Lets the other loaders see the name of the file. */
export function load(url, context, next) {
  const [file] = url.split("?run=");
  if (!file.endsWith(".ts")) return next(file, context);
  if (!compiled.has(file)) compiled.set(file, compile(next(file, context)));
  return compiled.get(file);
}

/** Another loader has compiled it where Node.js doesn't do that by itself. */
function compile(loaded) {
  if (loaded.format !== "module-typescript") return loaded;
  const source = stripTypeScriptTypes(String(loaded.source));
  return { format: "module", source, shortCircuit: true };
}
