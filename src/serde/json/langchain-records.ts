import { isObject, defineOwn, ownEntries, prototypeOf } from "../objects/inspect-object.js";
import { DeserializationError } from "../../errors/index.js";
import {
  construct,
  LANGCHAIN_CLASSES,
  type LangChainClassName,
  currentArguments,
  classNameOfId,
  type SerializableObject,
} from "../langchain/classes.js";
import type { JsonDecoder, Depth, Revived } from "./decoder.js";
import { isJsonObject, isStringArray, type JsonObject } from "./json-value.js";
import { rememberRecordReadFrom } from "./records.js";

/** Revives a record `{lc: 1, type: "constructor", …}`, or returns `undefined` if it does not name a revivable class. */
export function reviveLangChain(record: JsonObject, depth: Depth, decoder: JsonDecoder): Revived | undefined {
  const { id, kwargs } = record;
  if (record.type !== "constructor" || !isStringArray(id) || !isJsonObject(kwargs)) return undefined;
  const name = classNameOfId(id);
  if (name === undefined) return undefined;
  const value = reviveTableObject(name, record, kwargs, depth, decoder);
  return { value: decoder.keepsKeys ? rememberRecordReadFrom(value, record) : value };
}

function reviveTableObject(
  name: LangChainClassName,
  record: JsonObject,
  kwargs: JsonObject,
  depth: Depth,
  decoder: JsonDecoder,
): object {
  const instance = make(name, decodeKwargs(kwargs, depth, decoder));
  const outside = { level: depth.level, inKwargs: false };
  if (isJsonObject(record.fields)) restoreFields(instance, name, decoder.decode(record.fields, outside));
  for (const key of isStringArray(record.absent) ? record.absent : []) Reflect.deleteProperty(instance, key);
  return instance;
}

function decodeKwargs(kwargs: JsonObject, depth: Depth, decoder: JsonDecoder): object {
  const decoded: object = {};
  const deeper = { level: depth.level + 2, inKwargs: true };
  for (const [key, value] of Object.entries(kwargs)) defineOwn(decoded, key, decoder.decode(value, deeper));
  return decoded;
}

function make(name: LangChainClassName, kwargs: object): object {
  const fields = fieldsFromKwargs(kwargs, LANGCHAIN_CLASSES[name].prototype);
  try {
    return construct(name, fields);
  } catch (cause) {
    throw new DeserializationError(`the class ${name} refuses the stored fields`, { cause });
  }
}

function restoreFields(instance: object, name: LangChainClassName, fields: unknown): void {
  if (!isObject(fields)) return;
  for (const [key, value] of ownEntries(fields)) defineOwn(instance, key, value);
  // Earlier versions also wrote the values of arguments that a field had replaced.
  if (Object.hasOwn(fields, "lc_kwargs"))
    defineOwn(instance, "lc_kwargs", Object.fromEntries(currentArguments(instance, name)));
}

/** A field of a LangChain object: its name in the class, its name in JSON, and its value. */
export interface Kwarg {
  readonly field: string;
  readonly jsonKey: string;
  readonly value: unknown;
}

/**
 * The fields that core's own `toJSON` writes, by their JSON names. `toJSON` itself is not called, since it replaces each Map, Set
 * and Date inside the fields by an empty object.
 */
export function kwargsOf(value: SerializableObject, name: LangChainClassName): Kwarg[] {
  const aliases = mergedAlong(prototypeOf(value), "lc_aliases", value);
  const attributes = ownEntries(mergedAlong(prototypeOf(value), "lc_attributes", value));
  const merged = new Map([...currentArguments(value, name), ...attributes]);
  return Array.from(merged, ([field, fieldValue]) => ({
    field,
    jsonKey: alias(field, stringsOf(aliases)) ?? snakeCase(field),
    value: fieldValue,
  }));
}

/** The constructor argument for kwargs that were read from JSON. */
export function fieldsFromKwargs(kwargs: object, prototype: object): Record<string, unknown> {
  const aliases = stringsOf(mergedAlong(prototype, "lc_aliases", prototype));
  const inverted = Object.fromEntries(Object.entries(aliases).map(([field, jsonKey]) => [jsonKey, field]));
  const fields: Record<string, unknown> = {};
  for (const [key, value] of ownEntries(kwargs))
    defineOwn(fields, alias(key, inverted) ?? camelCase(key), value);
  return fields;
}

function mergedAlong(start: object | null, getter: string, receiver: object): object {
  const merged = {};
  for (let current = start; current !== null; current = prototypeOf(current)) {
    if (Object.hasOwn(current, getter)) Object.assign(merged, Reflect.get(current, getter, receiver));
  }
  return merged;
}

function stringsOf(target: object): KeyAliases {
  const strings = ownEntries(target).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return Object.fromEntries(strings);
}

const ACRONYM_BOUNDARY = /([A-Z]+)([A-Z][a-z0-9]+)/g;

const WORD_BOUNDARY = /([a-z0-9])([A-Z])/g;

const SEPARATORS = /[-_\s]+/g;

/** Names of fields that override the usual mapping, from the class to JSON or the other way round. */
type KeyAliases = Readonly<Record<string, string>>;

/** The name that overrides the usual mapping of a field to JSON, or back; LangChain's core maps all others by their case. */
function alias(key: string, aliases: KeyAliases): string | undefined {
  const found = Object.hasOwn(aliases, key) ? aliases[key] : undefined;
  return found === "" ? undefined : found;
}

function snakeCase(key: string): string {
  return key
    .replace(ACRONYM_BOUNDARY, "$1_$2")
    .replace(WORD_BOUNDARY, "$1_$2")
    .replace(SEPARATORS, "_")
    .toLowerCase();
}

function camelCase(key: string): string {
  const trimmed = key.trim();
  if (!/[-_\s]/.test(trimmed)) return trimmed;
  return trimmed
    .replace(SEPARATORS, "_")
    .toLowerCase()
    .replace(/_+([a-z0-9])/g, (_, char: string) => char.toUpperCase());
}
