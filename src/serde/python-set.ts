import { EXT } from "./msgpack/ext-codes.js";
import { rememberOrigin } from "./python-origin.js";

/** An array that Python reads as a `set`; for JavaScript it is a copy, and comes back as a Set. */
export function asPythonSet(items: readonly unknown[]): unknown[] {
  return rememberOrigin([...items], { code: EXT.PYTHON_SINGLE_ARG, module: "builtins", name: "set" });
}
