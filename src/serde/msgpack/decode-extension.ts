import { isIndexBelow, typedArrayClassOf, sparseArray, errorFactoryOf } from "../objects/built-ins.js";
import { type ByteReader, malformed } from "./byte-reader.js";
import type { LangGraphSource } from "../langchain/langgraph-classes.js";
import { decodePython } from "./decode-python.js";
import { DeltaSnapshot } from "@langchain/langgraph-checkpoint";
import { EXT } from "./ext-codes.js";
import { rememberOrigin } from "../python/python-origin.js";
import { isArray, defineOwn, isObject, isRecord } from "../objects/inspect-object.js";
import { decodeTree } from "../json/decode-json.js";
import { parseJsonData } from "../json/json-text.js";

/**
 * Decodes an extension whose payload is the next `length` bytes.
 *
 * @param readValue - reads the next MessagePack value
 */
export function decodeExtension(
  code: number,
  length: number,
  reader: ByteReader,
  readValue: () => unknown,
  source: LangGraphSource,
): unknown {
  const own = OWN_DECODERS.get(code);
  if (own?.payload === "bytes") return own.decode(reader.bytes(length), source);
  if (own === undefined && code > EXT.DELTA_SNAPSHOT)
    throw malformed(`the extension code ${code} is unknown`);
  const payload = reader.window(length, readValue);
  if (own !== undefined) return own.decode(payload);
  if (code === EXT.DELTA_SNAPSHOT) return new DeltaSnapshot(payload);
  return code === EXT.NUMPY_ARRAY ? decodeNumpyArray(payload) : decodePython(code, payload, source);
}

/**
 * Decodes a numpy array to a typed array, which keeps the shape unless the array is one-dimensional and in C order. Elements
 * that no typed array can hold are returned as bytes.
 */
function decodeNumpyArray(payload: unknown): object {
  const [dtype, shape, order, bytes] = isArray(payload) ? payload : [];
  if (
    typeof dtype !== "string" ||
    !isShape(shape) ||
    typeof order !== "string" ||
    !(bytes instanceof Uint8Array)
  )
    throw malformed("a numpy array is malformed");
  const elements = typedArrayClassOf(dtype);
  if (elements !== undefined && bytes.length % elements.BYTES_PER_ELEMENT !== 0)
    throw malformed("a numpy array has the wrong size");
  const array = elements === undefined ? bytes : new elements(bytes.slice().buffer);
  const isUsual = elements !== undefined && shape.length === 1 && order === "C" && !dtype.startsWith("|b");
  // A Uint8Array without a layout would be written as bytes.
  if (isUsual && dtype !== "|u1") return array;
  return rememberOrigin(array, {
    code: EXT.NUMPY_ARRAY,
    module: "numpy",
    name: "ndarray",
    array: { dtype, shape, order },
  });
}

function isShape(value: unknown): value is number[] {
  return isArray(value) && value.every((axis) => typeof axis === "number");
}

/** Decodes one of this library's own extensions, from its payload or from the value that the payload encodes. */
type OwnDecoder =
  | { readonly payload: "bytes"; readonly decode: (bytes: Uint8Array, source: LangGraphSource) => unknown }
  | { readonly payload: "value"; readonly decode: (payload: unknown) => unknown };

/** The decoder of each of this library's own extension codes. */
const OWN_DECODERS: ReadonlyMap<number, OwnDecoder> = new Map<number, OwnDecoder>([
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

function decodeBigInt(bytes: Uint8Array): bigint {
  const text = Buffer.from(bytes).toString("latin1");
  if (!/^-?[0-9a-f]+$/.test(text)) throw malformed("a BigInt is not a hexadecimal number");
  return text.startsWith("-") ? -BigInt(`0x${text.slice(1)}`) : BigInt(`0x${text}`);
}

function decodeLangChain(bytes: Uint8Array, source: LangGraphSource): unknown {
  const record = parseJsonData(Buffer.from(bytes).toString("utf8"));
  const problem = recordProblem(record);
  if (problem !== undefined) throw malformed(`a LangChain record ${problem}`);
  return decodeTree(record, source);
}

function decodeMap(payload: unknown): Map<unknown, unknown> {
  const flat = expectArray(payload);
  const map = new Map<unknown, unknown>();
  for (let index = 0; index < flat.length; index += 2) map.set(flat[index], flat[index + 1]);
  return map;
}

function decodeObject(payload: unknown): object {
  const object = {};
  for (const [key, value] of decodeMap(payload)) {
    if (typeof key !== "string") throw malformed("an object has a key that is not a string");
    defineOwn(object, key, value);
  }
  return object;
}

/** Restores the own properties exactly. A new Error has others, such as a stack that points at the reader. */
function decodeError(payload: unknown): Error {
  const [name, own, hidden] = expectArray(payload);
  const create = errorFactoryOf(name);
  if (create === undefined || !isRecord(own) || !isRecord(hidden)) throw malformed("an Error is malformed");
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

function decodeBinary(payload: unknown): unknown {
  const [kind, bytes] = expectArray(payload);
  if (!(bytes instanceof Uint8Array)) throw malformed("binary data is malformed");
  const buffer = bytes.slice().buffer;
  switch (kind) {
    case "ArrayBuffer":
      return buffer;
    case "DataView":
      return new DataView(buffer);
    case "Uint8ClampedArray":
      return new Uint8ClampedArray(buffer);
    default:
      throw malformed("binary data is of an unknown kind");
  }
}

function decodeDate(payload: unknown): Date {
  return new Date(typeof payload === "number" ? payload : Number.NaN);
}

function decodeRegExp(payload: unknown): RegExp {
  const [source, flags, lastIndex] = expectArray(payload);
  if (typeof source !== "string" || typeof flags !== "string") throw malformed("a RegExp is malformed");
  const regexp = new RegExp(source, flags);
  Reflect.set(regexp, "lastIndex", lastIndex);
  return regexp;
}

function decodeSparseArray(payload: unknown): unknown[] {
  const [length, ...entries] = expectArray(payload);
  if (!isIndexBelow(2 ** 32, length)) throw malformed("an array has an impossible length");
  const array = sparseArray(length);
  for (let index = 0; index < entries.length; index += 2) {
    const position = entries[index];
    if (!isIndexBelow(length, position)) throw malformed("an array has an impossible index");
    array[position] = entries[index + 1];
  }
  return array;
}

function expectArray(payload: unknown): unknown[] {
  if (!isArray(payload)) throw malformed("the payload of an extension is not an array");
  return payload;
}

/**
 * The reason why a stored LangChain record is refused, or `undefined`. A record that is not refused is read like any other: only
 * the classes on the list are revived.
 */
function recordProblem(record: unknown): string | undefined {
  if (!isObject(record)) return undefined;
  const own = Reflect.get(record, "lc") === 1 ? constructorProblem(record) : undefined;
  if (own !== undefined) return own;
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
