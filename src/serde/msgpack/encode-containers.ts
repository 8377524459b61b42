import {
  refuseSymbols,
  type EncodeContext,
  encodeAsOrigin,
  pythonTuple,
  rememberedScalar,
} from "./encode-context.js";
import { describeDisguisedBuiltIn, isArrayIndex } from "../objects/built-ins.js";
import {
  PYTHON_SCALARS,
  pythonOriginOf,
  pythonScalarsOf,
  type PythonScalars,
} from "../python/python-origin.js";
import { encodeString, isWellFormed, type Wire } from "./wire.js";
import { EXT } from "./ext-codes.js";

/**
 * Encodes a plain object. It copies nothing unless a part has an encoding of its own. Then it copies the parts to a Map, which
 * msgpackr writes as a map and in which `__proto__` is an ordinary key.
 */
export function encodeObject(value: Record<string, unknown>, context: EncodeContext): unknown {
  const hasSymbols = Object.getOwnPropertySymbols(value).length > 0;
  if (!hasSymbols) return encodeBare(value, encodeEntries(value, undefined, context), context);
  refuseSymbols(value, context);
  const origin = pythonOriginOf(value);
  const entries = encodeEntries(value, pythonScalarsOf(value), context);
  return origin === undefined
    ? encodeBare(value, entries, context)
    : encodeAsOrigin(value, origin, entries, context);
}

/** Encodes an object without a prototype as a call of Python's `dict`, which returns the same dict as the entries alone. */
function encodeBare(value: object, entries: unknown, context: EncodeContext): unknown {
  if (Object.getPrototypeOf(value) !== null) return entries;
  return context.extension(EXT.PYTHON_SINGLE_ARG, pythonTuple("builtins", "dict", entries));
}

function encodeEntries(
  value: Record<string, unknown>,
  scalars: PythonScalars | undefined,
  context: EncodeContext,
): unknown {
  const keys = Object.keys(value);
  const mayBeDisguised = keys.length === 0 || Object.getPrototypeOf(value) === null;
  const disguise = mayBeDisguised ? describeDisguisedBuiltIn(value) : undefined;
  if (disguise !== undefined) return context.fail(`${disguise} can't be stored`);
  let copy: Map<unknown, unknown> | undefined;
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] ?? "";
    const part = value[key];
    if (!isWellFormed(key)) return encodeForeignKeys(value, keys, scalars, context);
    if (part === undefined && context.isInMessage) {
      copy ??= copyEntries(value, keys.slice(0, index));
      continue;
    }
    const encoded = rememberedScalar(scalars, key, part) ?? context.at(key, part);
    if (copy === undefined && !Object.is(encoded, part)) copy = copyEntries(value, keys.slice(0, index));
    copy?.set(key, encoded);
  }
  return copy ?? value;
}

/** UTF-8 has no lone surrogates, and Python can't read a checkpoint with a map whose key is an extension. */
function encodeForeignKeys(
  value: Record<string, unknown>,
  keys: readonly string[],
  scalars: PythonScalars | undefined,
  context: EncodeContext,
): Wire {
  const entries = context.within(keys, () =>
    keys.flatMap((key) => {
      const part = value[key];
      if (part === undefined && context.isInMessage) return [];
      return [encodeString(key), rememberedScalar(scalars, key, part) ?? context.at(key, part)];
    }),
  );
  return context.extension(EXT.OBJECT, entries);
}

function copyEntries(value: Record<string, unknown>, keys: readonly string[]): Map<unknown, unknown> {
  return new Map(keys.map((key) => [key, value[key]]));
}

/** Encodes an array. Like an object, it is only copied if a part has an encoding of its own. */
export function encodeArray(value: readonly unknown[], context: EncodeContext): unknown {
  refuseSymbols(value, context);
  const keys = Object.keys(value);
  const elements = keys.length - namesAfter(keys);
  const names = keys.slice(elements);
  const items =
    elements < value.length
      ? encodeHoles(value, keys.slice(0, elements), context)
      : encodeItems(value, context);
  const origin = pythonOriginOf(value);
  if (names.length > 0) {
    if (origin !== undefined || elements < value.length)
      return context.fail(`an array with the property "${names[0]}" can't be stored: store an object`);
    return encodeNamed(value, names, items, context);
  }
  return origin === undefined ? items : encodeAsOrigin(value, origin, items, context);
}

/** Encodes an array that has properties, such as a match of a RegExp, as a call of `list`. Python ignores what follows its argument. */
function encodeNamed(
  value: readonly unknown[],
  names: readonly string[],
  items: unknown,
  context: EncodeContext,
): unknown {
  const properties = context.within(names, () =>
    names.flatMap((name) => [encodeString(name), context.at(name, Reflect.get(value, name))]),
  );
  return context.extension(EXT.PYTHON_SINGLE_ARG, [...pythonTuple("builtins", "list", items), properties]);
}

/** How many keys of an array are names. They come after the indices. */
function namesAfter(keys: readonly string[]): number {
  let count = 0;
  while (count < keys.length && !isArrayIndex(keys[keys.length - 1 - count] ?? "")) count += 1;
  return count;
}

function encodeItems(value: readonly unknown[], context: EncodeContext): readonly unknown[] {
  const scalars = Object.hasOwn(value, PYTHON_SCALARS) ? pythonScalarsOf(value) : undefined;
  let copy: unknown[] | undefined;
  for (let index = 0; index < value.length; index += 1) {
    const part = value[index];
    const encoded = rememberedScalar(scalars, String(index), part) ?? context.at(index, part);
    if (copy === undefined && !Object.is(encoded, part)) copy = value.slice(0, index);
    copy?.push(encoded);
  }
  return copy ?? value;
}

function encodeHoles(value: readonly unknown[], keys: readonly string[], context: EncodeContext): Wire {
  const entries = keys.flatMap((key) => [Number(key), context.at(Number(key), value[Number(key)])]);
  return context.extension(EXT.SPARSE_ARRAY, [value.length, ...entries]);
}
