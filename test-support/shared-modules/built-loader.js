import { existsSync } from "node:fs";
import process from "node:process";
import { URL } from "node:url";

const ROOT = new URL("../../", import.meta.url).href;

/** How a test imports the sources of an entry: `../../src/store/index.js`. */
const ENTRY = /^(?:\.\.\/)+src\/(?:(.+)\/)?index\.js$/;

const IS_COMMON_JS = process.env.TEST_BUILD === "cjs";

/**
 * Resolves a test's import of an entry to the built file of the module system that `TEST_BUILD` names, `es` or `cjs`. With CommonJS a
 * test gets the CommonJS of LangChain too, as an application would.
 */
export function resolve(specifier, context, next) {
  const { parentURL = "", conditions } = context;
  if (!parentURL.startsWith(ROOT) || parentURL.includes("/node_modules/")) return next(specifier, context);
  const [isEntry, entry = "index"] = ENTRY.exec(specifier) ?? [];
  const built = new URL(`dist/${entry}.${IS_COMMON_JS ? "cjs" : "js"}`, ROOT);
  if (isEntry && existsSync(built)) return { url: built.href, shortCircuit: true };
  if (!IS_COMMON_JS || !specifier.startsWith("@langchain/")) return next(specifier, context);
  const required = conditions.map((name) => (name === "import" ? "require" : name));
  return next(specifier, { ...context, conditions: required });
}
