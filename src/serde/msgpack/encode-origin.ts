import { isObject } from "../objects/type-guards.js";
import { mayKeepOrigin, type PythonOrigin, type PythonScalars } from "../python/python-origin.js";
import type { EncodeContext } from "./encode-context.js";
import { EXT } from "./ext-codes.js";
import { Wire } from "./wire.js";

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
  return typeof content === "object" && content !== null ? Object.values(content) : [];
}
