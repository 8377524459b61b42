import {
  refuseSymbols,
  type EncodeContext,
  pythonTuple,
  rememberedScalar,
  refuseExtra,
} from "./encode-context.js";
import { types } from "node:util";
import { isEnumerable, isExactly } from "../objects/inspect-object.js";
import { pythonOriginOf, PYTHON_DICT, pythonScalarsOf, type Spellings } from "../python/python-origin.js";
import { toPythonDatetime, toPythonPattern } from "./python-types.js";
import { encodeString, extension, Wire } from "./wire.js";
import { EXT } from "./ext-codes.js";
import { unboxed, builtInErrorName, lostByCopying, viewClassOf, dtypeOf } from "../objects/built-ins.js";
import { pythonKeyOf } from "./python-dict.js";
import { describeKey, mapKeyStep, mapValueStep, setMemberStep } from "../objects/value-path.js";

/** Encodes a Date as Python's `datetime`, in the text that it was read from if it is still the same instant. */
export function encodeDate(value: object, context: EncodeContext): unknown {
  if (!types.isDate(value) || !isExactly(value, "Date", 2)) return undefined;
  refuseExtra(value, "a Date", context);
  const written = pythonOriginOf(value)?.written;
  const text = written?.value === value.getTime() ? written.argument : toPythonDatetime(value);
  if (text === undefined)
    return context.extension(EXT.DATE, Number.isNaN(value.getTime()) ? null : value.getTime());
  return context.extension(EXT.PYTHON_METHOD, pythonTuple("datetime", "datetime", text, "fromisoformat"));
}

/** Encodes a RegExp as Python's `re.compile` where both match the same strings. */
export function encodeRegExp(value: object, context: EncodeContext): unknown {
  if (!types.isRegExp(value) || !isExactly(value, "RegExp", 2)) return undefined;
  refuseExtra(value, "a RegExp", context);
  const written = pythonOriginOf(value)?.written;
  const isAsWritten = written?.value === String(value) && Object.is(value.lastIndex, 0);
  const pattern = isAsWritten ? written.argument : toPythonPattern(value);
  if (pattern === undefined) {
    // Any value may be assigned to `lastIndex`, also an object.
    const lastIndex = context.within(value, () => context.at("lastIndex", value.lastIndex));
    return context.extension(EXT.REGEXP, [encodeString(value.source), value.flags, lastIndex]);
  }
  return context.extension(EXT.PYTHON_ARGS, pythonTuple("re", "compile", pattern));
}

/** Encodes a URL as its href. */
export function encodeUrl(value: object, context: EncodeContext): unknown {
  if (!(value instanceof URL) || Object.getPrototypeOf(value) !== URL.prototype) return undefined;
  refuseExtra(value, "a URL", context);
  return extension(EXT.URL, Buffer.from(value.href, "utf8"));
}

/** Encodes a boxed text, number or boolean as a call of Python's class, which returns the primitive. */
export function encodeBoxed(value: object, context: EncodeContext): unknown {
  const primitive = unboxed(value);
  if (primitive === undefined) return undefined;
  const encoded = context.within(value, () => context.at("valueOf()", primitive));
  return context.extension(EXT.PYTHON_SINGLE_ARG, pythonTuple("builtins", pythonClassOf(primitive), encoded));
}

function pythonClassOf(primitive: string | number | boolean): string {
  if (typeof primitive === "string") return "str";
  return typeof primitive === "number" ? "float" : "bool";
}

/**
 * Encodes an Error of a built-in class with all its own properties: message, stack, cause, errors and added ones. Enumerable
 * properties and others are written apart, so that both are restored as they were.
 */
export function encodeError(value: object, context: EncodeContext): unknown {
  const className = types.isNativeError(value) ? builtInErrorName(value) : undefined;
  if (className === undefined) return undefined;
  refuseSymbols(value, context);
  const names = Object.getOwnPropertyNames(value);
  const encodeThose = (enumerable: boolean): Map<unknown, unknown> => {
    const chosen = names.filter((name) => isEnumerable(value, name) === enumerable);
    return new Map(chosen.map((name) => [encodeString(name), context.at(name, Reflect.get(value, name))]));
  };
  const parts = context.within(value, () => [encodeThose(true), encodeThose(false)]);
  return context.extension(EXT.ERROR, [className, ...parts]);
}

/**
 * Encodes bytes and typed arrays: a Uint8Array as `bytes`, a Buffer as a call of `bytes` so that it is read back as a Buffer,
 * typed arrays as numpy arrays, and classes without a counterpart in Python by their names.
 */
export function encodeBinary(value: object, context: EncodeContext): unknown {
  if (types.isAnyArrayBuffer(value)) return encodeArrayBuffer(value, context);
  if (!ArrayBuffer.isView(value)) return undefined;
  const className = viewClassOf(value);
  if (className === undefined) return undefined;
  refuseSymbols(value, context);
  const problem = lostByCopying(value);
  return problem === undefined ? encodeView(value, className, context) : context.fail(problem);
}

function encodeView(value: ArrayBufferView, className: string, context: EncodeContext): unknown {
  // A plain Uint8Array, which msgpackr copies into its output.
  const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  if (className === "Buffer")
    return context.extension(EXT.PYTHON_SINGLE_ARG, pythonTuple("builtins", "bytes", bytes));
  const layout = pythonOriginOf(value)?.array;
  if (layout !== undefined)
    return context.extension(EXT.NUMPY_ARRAY, [layout.dtype, layout.shape, layout.order, bytes]);
  if (className === "Uint8Array") return bytes;
  const dtype = dtypeOf(className);
  if (dtype === undefined) return context.extension(EXT.BINARY, [className, bytes]);
  return context.extension(EXT.NUMPY_ARRAY, [dtype, [elementCount(value)], "C", bytes]);
}

function encodeArrayBuffer(value: ArrayBufferLike, context: EncodeContext): unknown {
  if (!isExactly(value, "ArrayBuffer", 2)) return undefined;
  const problem = lostByCopying(value);
  if (problem !== undefined) return context.fail(problem);
  refuseExtra(value, "an ArrayBuffer", context);
  return context.extension(EXT.BINARY, ["ArrayBuffer", new Uint8Array(value)]);
}

function elementCount(value: ArrayBufferView): number {
  return "length" in value && typeof value.length === "number" ? value.length : 0;
}

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
  const members = context.within(value, () =>
    [...value].flatMap(
      (member, index) =>
        spelledWires(origin?.spellings, member) ?? [context.at(setMemberStep(index), member)],
    ),
  );
  const { module, name } = origin ?? { module: "builtins", name: "set" };
  return context.extension(EXT.PYTHON_SINGLE_ARG, pythonTuple(module, name, members));
}

function spelledWires(spellings: Spellings | undefined, part: unknown): Wire[] | undefined {
  return spellings?.get(part)?.map((bytes) => new Wire(bytes));
}
