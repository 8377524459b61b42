import { EXT } from "../msgpack/ext-codes.js";
import { rememberOrigin } from "./python-origin.js";

/** A copy of an array that Python reads as a `set`, and JavaScript as a Set. */
export function asPythonSet(items: readonly unknown[]): unknown[] {
  return rememberOrigin([...items], { code: EXT.PYTHON_SINGLE_ARG, module: "builtins", name: "set" });
}
