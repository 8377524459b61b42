import { URL } from "node:url";

const GLOBALS = new URL("globals.js", import.meta.url).href;

/** Resolves `@jest/globals`, which throws outside of Jest's own modules. */
export function resolve(specifier, context, next) {
  if (specifier === "@jest/globals") return { url: GLOBALS, format: "module", shortCircuit: true };
  return next(specifier, context);
}
