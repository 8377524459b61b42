import { types } from "node:util";
import { isExactly } from "../json/inspect-object.js";
import { PYTHON_DICT, pythonOriginOf } from "../python-origin.js";
import type { EncodeContext } from "./encode-context.js";
import { pythonTuple } from "./encode-origin.js";
import { EXT } from "./ext-codes.js";
import { extraProperty } from "./prototypes.js";
import { mapKeyStep, mapValueStep, setMemberStep } from "./value-path.js";

/** A Map: an extension of this library's own, unless it was read from a Python dict, which it becomes again. */
export function encodeMap(value: object, context: EncodeContext): unknown {
  if (!types.isMap(value) || !isExactly(value, "Map", 2)) return undefined;
  refuseExtra(value, "a Map", context);
  if (isUnchangedDict(value)) return context.within(value, () => new Map(encodePairs(value, context)));
  const pairs = context.within(value, () => encodePairs(value, context));
  return context.extension(EXT.MAP, pairs.flat());
}

function encodePairs(value: ReadonlyMap<unknown, unknown>, context: EncodeContext): [unknown, unknown][] {
  return [...value].map(([key, part], index) => [
    context.at(mapKeyStep(index), key),
    context.at(mapValueStep(key), part),
  ]);
}

/** A dict whose keys are all strings would be read as an object, so such a Map is written as a Map. */
function isUnchangedDict(value: ReadonlyMap<unknown, unknown>): boolean {
  return (
    pythonOriginOf(value)?.code === PYTHON_DICT && [...value.keys()].some((key) => typeof key !== "string")
  );
}

/** A Set, as Python's `set`, or as the `frozenset` that it was read from. */
export function encodeSet(value: object, context: EncodeContext): unknown {
  if (!types.isSet(value) || !isExactly(value, "Set", 2)) return undefined;
  refuseExtra(value, "a Set", context);
  const members = context.within(value, () =>
    [...value].map((member, index) => context.at(setMemberStep(index), member)),
  );
  const { module, name } = pythonOriginOf(value) ?? { module: "builtins", name: "set" };
  return context.extension(EXT.PYTHON_SINGLE_ARG, pythonTuple(module, name, members));
}

/** Refuses an object whose own properties would be lost, since only its content is written. */
export function refuseExtra(value: object, kind: string, context: EncodeContext): void {
  const property = extraProperty(value);
  if (property !== undefined) context.fail(`${kind} with the property ${property} can't be stored`);
}
