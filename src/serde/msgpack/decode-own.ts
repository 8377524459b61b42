import { decodeTree } from "../json/decode-json.js";
import { defineOwn } from "../objects/inspect-object.js";
import { parseJson } from "../json/json-text.js";
import { sparseArray } from "../objects/sparse-array.js";
import type { DecodeContext } from "./decode-context.js";
import { errorFactoryOf } from "../objects/built-in-errors.js";
import { EXT } from "./ext-codes.js";
import { isArray, isObject, isRecord } from "../objects/type-guards.js";

/** Decodes one of this library's own extensions, from its payload or from the value that the payload encodes. */
export type OwnDecoder =
  | { readonly payload: "bytes"; readonly decode: (bytes: Uint8Array, context: DecodeContext) => unknown }
  | { readonly payload: "value"; readonly decode: (payload: unknown, context: DecodeContext) => unknown };

/** The decoder of each of this library's own extension codes. */
export const OWN_DECODERS: ReadonlyMap<number, OwnDecoder> = new Map<number, OwnDecoder>([
  [EXT.UNDEFINED, { payload: "bytes", decode: () => undefined }],
  [EXT.BIGINT, { payload: "bytes", decode: decodeBigInt }],
  [EXT.UTF16, { payload: "bytes", decode: (bytes) => Buffer.from(bytes).toString("utf16le") }],
  [EXT.URL, { payload: "bytes", decode: (bytes) => new URL(Buffer.from(bytes).toString("utf8")) }],
  [EXT.LANGCHAIN, { payload: "bytes", decode: decodeLangChain }],
  [EXT.MAP, { payload: "value", decode: decodeMap }],
  [EXT.OBJECT, { payload: "value", decode: decodeObject }],
  [EXT.ERROR, { payload: "value", decode: decodeError }],
  [EXT.BINARY, { payload: "value", decode: decodeBinary }],
  [EXT.DATE, { payload: "value", decode: decodeDate }],
  [EXT.REGEXP, { payload: "value", decode: decodeRegExp }],
  [EXT.SPARSE_ARRAY, { payload: "value", decode: decodeSparseArray }],
]);

function decodeBigInt(bytes: Uint8Array, context: DecodeContext): bigint {
  const text = Buffer.from(bytes).toString("latin1");
  if (!/^-?[0-9a-f]+$/.test(text)) return context.fail("a BigInt is not a hexadecimal number");
  return text.startsWith("-") ? -BigInt(`0x${text.slice(1)}`) : BigInt(`0x${text}`);
}

function decodeLangChain(bytes: Uint8Array, context: DecodeContext): unknown {
  const record = parseJson(Buffer.from(bytes).toString("utf8"));
  const problem = recordProblem(record);
  return problem === undefined ? decodeTree(record, context) : context.fail(`a LangChain record ${problem}`);
}

function decodeMap(payload: unknown, context: DecodeContext): Map<unknown, unknown> {
  const flat = expectArray(payload, context);
  const map = new Map<unknown, unknown>();
  for (let index = 0; index < flat.length; index += 2) map.set(flat[index], flat[index + 1]);
  return map;
}

function decodeObject(payload: unknown, context: DecodeContext): object {
  const object = {};
  for (const [key, value] of decodeMap(payload, context)) {
    if (typeof key !== "string") return context.fail("an object has a key that is not a string");
    defineOwn(object, key, value);
  }
  return object;
}

/** Restores the own properties exactly. A new Error has others, such as a stack that points at the reader. */
function decodeError(payload: unknown, context: DecodeContext): Error {
  const [name, own, hidden] = expectArray(payload, context);
  const create = errorFactoryOf(name);
  if (create === undefined || !isRecord(own) || !isRecord(hidden))
    return context.fail("an Error is malformed");
  const error = create();
  for (const key of Object.getOwnPropertyNames(error)) Reflect.deleteProperty(error, key);
  defineAll(error, hidden, false);
  defineAll(error, own, true);
  return error;
}

function defineAll(error: Error, properties: Record<string, unknown>, enumerable: boolean): void {
  for (const [key, value] of Object.entries(properties))
    Object.defineProperty(error, key, { value, enumerable, configurable: true, writable: true });
}

function decodeBinary(payload: unknown, context: DecodeContext): unknown {
  const [kind, bytes] = expectArray(payload, context);
  if (!(bytes instanceof Uint8Array)) return context.fail("binary data is malformed");
  const buffer = bytes.slice().buffer;
  switch (kind) {
    case "ArrayBuffer":
      return buffer;
    case "DataView":
      return new DataView(buffer);
    case "Uint8ClampedArray":
      return new Uint8ClampedArray(buffer);
    default:
      return context.fail("binary data is of an unknown kind");
  }
}

function decodeDate(payload: unknown): Date {
  return new Date(typeof payload === "number" ? payload : Number.NaN);
}

function decodeRegExp(payload: unknown, context: DecodeContext): RegExp {
  const [source, flags, lastIndex] = expectArray(payload, context);
  if (typeof source !== "string" || typeof flags !== "string") return context.fail("a RegExp is malformed");
  const regexp = new RegExp(source, flags);
  Reflect.set(regexp, "lastIndex", lastIndex);
  return regexp;
}

function decodeSparseArray(payload: unknown, context: DecodeContext): unknown[] {
  const [length, ...entries] = expectArray(payload, context);
  if (!isArrayLength(length)) return context.fail("an array has an impossible length");
  const array = sparseArray(length);
  for (let index = 0; index < entries.length; index += 2) {
    const position = entries[index];
    if (!isArrayLength(position) || position >= length)
      return context.fail("an array has an impossible index");
    array[position] = entries[index + 1];
  }
  return array;
}

function isArrayLength(value: unknown): value is number {
  return typeof value === "number" && value >>> 0 === value;
}

function expectArray(payload: unknown, context: DecodeContext): unknown[] {
  return isArray(payload) ? payload : context.fail("the payload of an extension is not an array");
}

/**
 * The reason why a stored LangChain record is refused, or `undefined`. A record that is not refused is read like any other: only
 * the classes on the list are revived.
 */
function recordProblem(record: unknown): string | undefined {
  if (!isObject(record)) return undefined;
  if (Reflect.get(record, "lc") === 1) {
    const problem = constructorProblem(record);
    if (problem !== undefined) return problem;
  }
  for (const part of Object.values(record)) {
    const problem = recordProblem(part);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function constructorProblem(record: object): string | undefined {
  const type: unknown = Reflect.get(record, "type");
  const id: unknown = Reflect.get(record, "id");
  if (type === "secret") return "holds a secret, which is never stored";
  if (type !== "constructor" || !Array.isArray(id)) return "does not implement serialization";
  return id[0] === "langchain_core" ? undefined : `is outside langchain_core (${id.map(String).join(".")})`;
}
