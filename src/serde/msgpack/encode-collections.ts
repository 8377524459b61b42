import { types } from "node:util";
import { extraProperty, isExactly } from "../objects/inspect-object.js";
import { PYTHON_DICT, pythonOriginOf, pythonScalarsOf, type Spellings } from "../python/python-origin.js";
import type { EncodeContext } from "./encode-context.js";
import { pythonTuple, rememberedScalar } from "./encode-origin.js";
import { EXT } from "./ext-codes.js";
import { pythonKeyOf } from "./python-key.js";
import { describeKey, mapKeyStep, mapValueStep, setMemberStep } from "../objects/value-path.js";
import { Wire } from "./wire.js";

/** Encodes a Map as an extension of this library, or as a dict if it was read from a Python dict. */
export function encodeMap(value: object, context: EncodeContext): unknown {
  if (!types.isMap(value) || !isExactly(value, "Map", 2)) return undefined;
  refuseExtra(value, "a Map", context);
  const origin = pythonOriginOf(value);
  const pairs = context.within(value, () => encodePairs(value, origin?.spellings, context));
  if (origin?.code !== PYTHON_DICT) return context.extension(EXT.MAP, pairs.flat());
  refuseForeignKeys(value, context);
  const keys = [...value.keys()];
  const dict = new Map(pairs);
  if (keys.some((key) => typeof key !== "string")) return dict;
  // A dict with string keys only would be read as an object. The keys behind it are for JavaScript; Python ignores them.
  return context.extension(EXT.PYTHON_SINGLE_ARG, [...pythonTuple("builtins", "dict", dict), keys]);
}

/** Encodes the entries of a Map. An entry that was not changed since it was read is written in its original bytes. */
function encodePairs(
  value: ReadonlyMap<unknown, unknown>,
  spellings: Spellings | undefined,
  context: EncodeContext,
): [unknown, unknown][] {
  const scalars = pythonScalarsOf(value);
  return [...value].map(([key, part], index) => [
    spelledWires(spellings, key)?.[0] ?? context.at(mapKeyStep(index), key),
    rememberedScalar(scalars, key, part) ?? context.at(mapValueStep(key), part),
  ]);
}

/** Python can't read a checkpoint with a dict whose key is an extension, and keeps only one of several equal keys. */
function refuseForeignKeys(value: ReadonlyMap<unknown, unknown>, context: EncodeContext): void {
  const names = new Set<string>();
  for (const key of value.keys()) {
    const name = pythonKeyOf(key);
    if (name === undefined)
      context.fail(`a Map that was a dict in Python can't have the key ${describeKey(key)}`);
    else if (names.has(name))
      context.fail(
        `a Map that was a dict in Python can't have two keys that equal ${describeKey(key)} there`,
      );
    else names.add(name);
  }
}

/** Encodes a Set as Python's `set`, or as the `frozenset` that it was read from. */
export function encodeSet(value: object, context: EncodeContext): unknown {
  if (!types.isSet(value) || !isExactly(value, "Set", 2)) return undefined;
  refuseExtra(value, "a Set", context);
  const origin = pythonOriginOf(value);
  const spellings = origin?.spellings;
  const members = context.within(value, () =>
    spellings === undefined
      ? [...value].map((member, index) => context.at(setMemberStep(index), member))
      : encodeSpelled(value, spellings, context),
  );
  const { module, name } = origin ?? { module: "builtins", name: "set" };
  return context.extension(EXT.PYTHON_SINGLE_ARG, pythonTuple(module, name, members));
}

function encodeSpelled(value: ReadonlySet<unknown>, spellings: Spellings, context: EncodeContext): unknown[] {
  return [...value].flatMap(
    (member, index) => spelledWires(spellings, member) ?? [context.at(setMemberStep(index), member)],
  );
}

function spelledWires(spellings: Spellings | undefined, part: unknown): Wire[] | undefined {
  return spellings?.get(part)?.map((bytes) => new Wire(bytes));
}

/** Refuses an object with own properties, which would be lost because only its content is written. */
export function refuseExtra(value: object, kind: string, context: EncodeContext): void {
  const property = extraProperty(value);
  if (property !== undefined) context.fail(`${kind} with the property ${property} can't be stored`);
}
