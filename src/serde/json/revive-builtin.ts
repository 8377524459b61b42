import {
  isIndexBelow,
  isArrayIndex,
  sparseArray,
  errorFactoryOf,
  isBoxable,
  TYPED_ARRAYS,
} from "../objects/built-ins.js";
import { type JsonDecoder, type Depth, inside, type Revived, type Reviver } from "./decoder.js";
import { defineOwn } from "../objects/inspect-object.js";
import { isJsonObject, type JsonObject, type JsonValue, isStringArray } from "./json-value.js";
import { reviveBigInt, reviveNumber, reviveString } from "./scalars.js";
import { onlyArgumentOf } from "./records.js";

/** The revivers of built-in classes, by the name in the `id` of the record. */
export const BUILTIN_REVIVERS: ReadonlyMap<string, Reviver> = new Map<string, Reviver>([
  // The views of an ArrayBuffer are written as base64 of their bytes, little-endian, except for a Uint8Array.
  ...["DataView", ...TYPED_ARRAYS.keys()].map((name): [string, Reviver] => [name, reviveView]),
  ["Array", reviveArray],
  ["ArrayBuffer", reviveBuffer],
  ["BigInt", reviveBigInt],
  ["Boxed", reviveBoxed],
  ["Buffer", reviveBuffer],
  ["Date", reviveDate],
  ["Error", reviveError],
  ["Map", reviveMap],
  ["Number", reviveNumber],
  ["Object", reviveObject],
  ["RegExp", reviveRegExp],
  ["Set", reviveSet],
  ["String", reviveString],
  ["URL", reviveUrl],
  ["Uint8Array", reviveBytes],
]);

function hasNoMethod({ method }: JsonObject): boolean {
  return method === undefined || method === null;
}

/** The arguments of a record, if it has exactly `count` of them and no method. */
function argsOf(record: JsonObject, count: number): JsonValue[] | undefined {
  return hasNoMethod(record) && Array.isArray(record.args) && record.args.length === count
    ? record.args
    : undefined;
}

function listOf(record: JsonObject): JsonValue[] | undefined {
  const list = argsOf(record, 1)?.[0];
  return Array.isArray(list) ? list : undefined;
}

function pairsOf(json: JsonValue | undefined): [JsonValue, JsonValue][] | undefined {
  return Array.isArray(json) && json.every(isPair) ? json : undefined;
}

function isPair(json: JsonValue): json is [JsonValue, JsonValue] {
  return Array.isArray(json) && json.length === 2;
}

function reviveSet(record: JsonObject, depth: Depth, decoder: JsonDecoder): Revived | undefined {
  const list = listOf(record);
  return list && { value: new Set(list.map((item) => decoder.decode(item, inside(depth, 3)))) };
}

function reviveMap(record: JsonObject, depth: Depth, decoder: JsonDecoder): Revived | undefined {
  const pairs = pairsOf(listOf(record));
  return pairs && { value: new Map(decodePairs(pairs, depth, decoder)) };
}

function decodePairs(
  pairs: [JsonValue, JsonValue][],
  depth: Depth,
  decoder: JsonDecoder,
): [unknown, unknown][] {
  const deeper = inside(depth, 4);
  return pairs.map(([key, value]) => [decoder.decode(key, deeper), decoder.decode(value, deeper)]);
}

function reviveObject(record: JsonObject, depth: Depth, decoder: JsonDecoder): Revived | undefined {
  const pairs = pairsOf(listOf(record));
  if (pairs === undefined) return undefined;
  const entries = decodePairs(pairs, depth, decoder);
  const value = {};
  for (const [key, item] of entries) {
    if (typeof key !== "string") return undefined;
    defineOwn(value, key, item);
  }
  if (isJsonObject(record.kwargs) && record.kwargs.prototype === null) Reflect.setPrototypeOf(value, null);
  return { value };
}

function reviveArray(record: JsonObject, depth: Depth, decoder: JsonDecoder): Revived | undefined {
  const [length, elements] = argsOf(record, 2) ?? [];
  const pairs = pairsOf(elements);
  if (pairs === undefined || !isIndexBelow(2 ** 32, length)) return undefined;
  const value = sparseArray(length);
  for (const [key, item] of pairs) {
    const name = decoder.decode(key, inside(depth, 4));
    if (!isIndexBelow(length, name) && !isName(name, value)) return undefined;
    defineOwn(value, name, decoder.decode(item, inside(depth, 4)));
  }
  return { value };
}

/** Whether an array may get a property of this name. */
function isName(key: unknown, array: readonly unknown[]): key is string {
  return typeof key === "string" && !Object.hasOwn(array, key) && !isArrayIndex(key);
}

function reviveBoxed(record: JsonObject, depth: Depth, decoder: JsonDecoder): Revived | undefined {
  const [json = null] = argsOf(record, 1) ?? [];
  const primitive = decoder.decode(json, inside(depth, 2));
  return isBoxable(primitive) ? { value: Object(primitive) as unknown } : undefined;
}

function reviveDate(record: JsonObject): Revived | undefined {
  const [time] = argsOf(record, 1) ?? [];
  if (time === null) return { value: new Date(NaN) };
  if (typeof time !== "string") return undefined;
  const value = new Date(time);
  return Number.isNaN(value.getTime()) ? undefined : { value };
}

function reviveRegExp(record: JsonObject, depth: Depth, decoder: JsonDecoder): Revived | undefined {
  const [pattern = null, flags] = argsOf(record, 2) ?? [];
  const source = decoder.decode(pattern, inside(depth, 2));
  if (typeof source !== "string" || typeof flags !== "string") return undefined;
  const value = attempt(() => new RegExp(source, flags));
  const lastIndex = isJsonObject(record.kwargs) ? record.kwargs.lastIndex : undefined;
  if (value !== undefined && lastIndex !== undefined)
    Reflect.set(value, "lastIndex", decoder.decode(lastIndex, inside(depth, 2)));
  return value && { value };
}

function reviveUrl(record: JsonObject): Revived | undefined {
  const [href] = argsOf(record, 1) ?? [];
  const value = typeof href === "string" ? attempt(() => new URL(href)) : undefined;
  return value && { value };
}

/** Returns `undefined` if a constructor throws. This library did not write such a record, so it is read as data. */
function attempt<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

/** Revives an error with all its properties, or from its message alone if the official saver wrote it. */
function reviveError(record: JsonObject, depth: Depth, decoder: JsonDecoder): Revived | undefined {
  const kwargs = isJsonObject(record.kwargs) ? record.kwargs : {};
  const message = decodeText(onlyArgumentOf(record), depth, decoder);
  const make = errorFactoryOf(kwargs.class ?? "Error");
  if (!hasNoMethod(record) || message === undefined || make === undefined) return undefined;
  const { properties } = kwargs;
  if (!Array.isArray(properties)) return { value: make(message) };
  const decoded = properties.flatMap((property) => decodeProperty(property, depth, decoder));
  return { value: restore(make(message), kwargs, decoded) };
}

function decodeText(json: JsonValue | undefined, depth: Depth, decoder: JsonDecoder): string | undefined {
  const text = json === undefined ? undefined : decoder.decode(json, inside(depth, 2));
  return typeof text === "string" ? text : undefined;
}

interface Property {
  readonly key: string;
  readonly value: unknown;
  readonly enumerable: boolean;
}

function decodeProperty(json: JsonValue, depth: Depth, decoder: JsonDecoder): Property[] {
  if (!Array.isArray(json) || json.length !== 3) return [];
  const [key, value] = json.slice(0, 2).map((item) => decoder.decode(item, inside(depth, 4)));
  return typeof key === "string" ? [{ key, value, enumerable: json[2] === true }] : [];
}

function restore(error: Error, kwargs: JsonObject, properties: Property[]): Error {
  const kept = new Set(properties.map(({ key }) => key));
  if (kwargs.hasMessage !== false) kept.add("message");
  for (const key of Object.getOwnPropertyNames(error)) if (!kept.has(key)) Reflect.deleteProperty(error, key);
  for (const { key, value, enumerable } of properties) {
    Object.defineProperty(error, key, { value, enumerable, configurable: true, writable: true });
  }
  return error;
}

/** Revives the official record of a Uint8Array, which lists the bytes as numbers. */
function reviveBytes(record: JsonObject): Revived | undefined {
  if (!hasNoMethod(record) && record.method !== "from") return undefined;
  const bytes = onlyArgumentOf(record);
  return Array.isArray(bytes) && bytes.every((byte) => isIndexBelow(256, byte))
    ? { value: Uint8Array.from(bytes) }
    : undefined;
}

/** Revives an ArrayBuffer or a Buffer from base64. */
function reviveBuffer(record: JsonObject): Revived | undefined {
  const bytes = base64Of(record);
  if (bytes === undefined) return undefined;
  return { value: nameOf(record) === "Buffer" ? Buffer.from(bytes) : bytes };
}

/** Revives a typed array or a DataView from base64. */
function reviveView(record: JsonObject): Revived | undefined {
  const View = TYPED_ARRAYS.get(nameOf(record) ?? "") ?? DataView;
  const bytes = base64Of(record);
  const isWhole = bytes && !("BYTES_PER_ELEMENT" in View && bytes.byteLength % View.BYTES_PER_ELEMENT !== 0);
  return isWhole ? { value: new View(bytes) } : undefined;
}

function nameOf({ id }: JsonObject): string | undefined {
  return isStringArray(id) ? id[0] : undefined;
}

function base64Of(record: JsonObject): ArrayBuffer | undefined {
  const text = onlyArgumentOf(record);
  if (typeof text !== "string") return undefined;
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? Uint8Array.from(bytes).buffer : undefined;
}
