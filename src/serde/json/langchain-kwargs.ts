import type { LangChainClassName } from "../langchain/classes.js";
import { currentArguments } from "../langchain/current-arguments.js";
import { defineOwn, ownEntries, prototypeOf, readProperty } from "../objects/inspect-object.js";

/** A field of a LangChain object: its name in the class, its name in JSON, and its value. */
export interface Kwarg {
  readonly field: string;
  readonly jsonKey: string;
  readonly value: unknown;
}

/** The parts of core's `Serializable` that determine how an object is written. */
export interface SerializableObject {
  readonly lc_serializable: true;
  readonly lc_kwargs: object;
  readonly lc_id: string[];
}

/** Whether an object has the shape of a serializable LangChain object. An application may have two copies of core. */
export function isSerializableObject(value: object): value is SerializableObject {
  if (readProperty(value, "lc_serializable") !== true) return false;
  const kwargs = readProperty(value, "lc_kwargs");
  const id = readProperty(value, "lc_id");
  const isId = Array.isArray(id) && id.every((part) => typeof part === "string");
  return isId && typeof kwargs === "object" && kwargs !== null && !Array.isArray(kwargs);
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
    jsonKey: keyToJson(field, stringsOf(aliases)),
    value: fieldValue,
  }));
}

/** The constructor argument for kwargs that were read from JSON. */
export function fieldsFromKwargs(kwargs: object, prototype: object): Record<string, unknown> {
  const aliases = stringsOf(mergedAlong(prototype, "lc_aliases", prototype));
  const inverted = Object.fromEntries(Object.entries(aliases).map(([field, jsonKey]) => [jsonKey, field]));
  const fields: Record<string, unknown> = {};
  for (const [key, value] of ownEntries(kwargs)) defineOwn(fields, keyFromJson(key, inverted), value);
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

/** The JSON name of the field `key`, as LangChain's core writes it: an alias, otherwise snake case. */
function keyToJson(key: string, aliases: KeyAliases): string {
  return alias(key, aliases) ?? snakeCase(key);
}

/** The field of the JSON name `key`, as LangChain's core reads it: an alias, otherwise camel case. */
function keyFromJson(key: string, inverted: KeyAliases): string {
  return alias(key, inverted) ?? camelCase(key);
}

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
