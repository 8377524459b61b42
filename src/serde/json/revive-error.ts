import { errorFactoryOf } from "../objects/built-in-errors.js";
import { type Decoder, type Depth, inside, type Revived } from "./decoder.js";
import { isJsonObject, type JsonObject, type JsonValue } from "./json-value.js";
import { onlyArgumentOf } from "./records.js";

/** Revives an error with all its properties, or from its message alone if the official saver wrote it. */
export function reviveError(record: JsonObject, depth: Depth, decoder: Decoder): Revived | undefined {
  const { method } = record;
  const kwargs = isJsonObject(record.kwargs) ? record.kwargs : {};
  const message = decodeText(onlyArgumentOf(record), depth, decoder);
  const make = errorFactoryOf(kwargs.class ?? "Error");
  if ((method !== undefined && method !== null) || message === undefined || make === undefined)
    return undefined;
  const properties = decodeProperties(kwargs.properties, depth, decoder);
  return { value: restore(make(message), kwargs, properties) };
}

function decodeText(json: JsonValue | undefined, depth: Depth, decoder: Decoder): string | undefined {
  const text = json === undefined ? undefined : decoder.decode(json, inside(depth, 2));
  return typeof text === "string" ? text : undefined;
}

interface Property {
  readonly key: string;
  readonly value: unknown;
  readonly enumerable: boolean;
}

function decodeProperties(
  json: JsonValue | undefined,
  depth: Depth,
  decoder: Decoder,
): Property[] | undefined {
  if (!Array.isArray(json)) return undefined;
  return json.flatMap((item) => decodeProperty(item, depth, decoder) ?? []);
}

function decodeProperty(json: JsonValue, depth: Depth, decoder: Decoder): Property | undefined {
  if (!Array.isArray(json) || json.length !== 3) return undefined;
  const [key, value] = json.slice(0, 2).map((item) => decoder.decode(item, inside(depth, 4)));
  return typeof key === "string" ? { key, value, enumerable: json[2] === true } : undefined;
}

function restore(error: Error, kwargs: JsonObject, properties: Property[] | undefined): Error {
  if (properties === undefined) return error;
  const kept = new Set(properties.map(({ key }) => key));
  if (kwargs.hasMessage !== false) kept.add("message");
  for (const key of Object.getOwnPropertyNames(error)) if (!kept.has(key)) Reflect.deleteProperty(error, key);
  for (const { key, value, enumerable } of properties) {
    Object.defineProperty(error, key, { value, enumerable, configurable: true, writable: true });
  }
  return error;
}
