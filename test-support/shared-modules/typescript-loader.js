import { existsSync } from "node:fs";
import { URL } from "node:url";

/** Resolves the import of a TypeScript file, which names what that will be compiled to. */
export function resolve(specifier, context, next) {
  if (/^\.\.?\/.*\.js$/.test(specifier) && context.parentURL.endsWith(".ts")) {
    const source = new URL(specifier.replace(/\.js$/, ".ts"), context.parentURL);
    if (existsSync(source)) return { url: source.href, shortCircuit: true };
  }
  return next(specifier, context);
}
