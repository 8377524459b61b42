import { extraSymbol, isObject, extraProperty } from "../objects/inspect-object.js";
import type { PathSegment } from "../objects/value-path.js";
import { Wire } from "./wire.js";
import { mayKeepOrigin, type PythonOrigin, type PythonScalars } from "../python/python-origin.js";
import { EXT } from "./ext-codes.js";

/** The functions that the encoder of one kind of value needs from the encoder of the whole value. */
export interface EncodeContext {
  /** The path of the current value, as an error message names it. */
  readonly path: string;

  /** Encodes a part of the current value. `step` leads from the value to the part. */
  at(step: PathSegment, part: unknown): unknown;

  /** Encodes the parts of `value` by calling `encode`, and refuses a value that contains itself. */
  within<T>(value: object, encode: () => T): T;

  /** Whether the current value is inside a message. Python's classes of messages refuse `None` for a field that is not given. */
  readonly isInMessage: boolean;

  /** Encodes the fields of a message by calling `encode`. */
  inMessage(encode: () => void): void;

  /** Encodes an extension whose payload is MessagePack. The parts of `payload` are already encoded. */
  extension(code: number, payload: unknown): Wire;

  /** Throws an error that names the path of the current value. */
  fail(problem: string): never;
}

/** Encodes a value of one kind, or returns `undefined` for a value of another kind. */
export type KindEncoder = (value: object, context: EncodeContext) => unknown;

/**
 * Encodes a plain object or an array as the Python value that it was read from.
 *
 * @param value - the value itself
 * @param content - the encoded value: a map or an array
 */
export function encodeAsOrigin(
  value: object,
  origin: PythonOrigin,
  content: unknown,
  context: EncodeContext,
): unknown {
  const { code, module, name, method, fields } = origin;
  if (fields === undefined) return context.extension(code, pythonTuple(module, name, content, method));
  // An object with other properties than it was read with no longer corresponds to the Python value.
  if (!isPrefix(Object.keys(value), fields)) return content;
  const args = contentValues(content);
  if (code === EXT.PYTHON_ARGS) return context.extension(code, pythonTuple(module, name, args, method));
  // Another argument than one that needed an object around it would be read without that object.
  const isWrapped = Object.values(value).some((part) => isObject(part) && !mayKeepOrigin(part));
  return isWrapped ? context.extension(code, pythonTuple(module, name, args[0], method)) : content;
}

/** The bytes that an unchanged entry was read from, if JavaScript would write it in other bytes. */
export function rememberedScalar(
  scalars: PythonScalars | undefined,
  key: unknown,
  part: unknown,
): Wire | undefined {
  const scalar = scalars?.get(key);
  return scalar !== undefined && Object.is(scalar.value, part) ? new Wire(scalar.bytes) : undefined;
}

/** The payload of an extension that names a Python class. */
export function pythonTuple(module: string, name: string, argument: unknown, method?: string): unknown[] {
  return method === undefined ? [module, name, argument] : [module, name, argument, method];
}

function isPrefix(keys: readonly string[], fields: readonly string[]): boolean {
  return keys.every((key, index) => key === fields[index]);
}

function contentValues(content: unknown): unknown[] {
  if (content instanceof Map) return [...content.values()];
  return isObject(content) ? Object.values(content) : [];
}

/** Refuses an object with own properties, which would be lost because only its content is written. */
export function refuseExtra(value: object, kind: string, context: EncodeContext): void {
  const property = extraProperty(value);
  if (property !== undefined) context.fail(`${kind} with the property ${property} can't be stored`);
}

/** Refuses an object with a property that is named by a symbol. */
export function refuseSymbols(value: object, context: EncodeContext): void {
  const symbol = extraSymbol(value);
  if (symbol !== undefined) context.fail(`a property named by a symbol, ${symbol}, can't be stored`);
}
