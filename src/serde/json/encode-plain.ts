import { describeDisguisedBuiltIn } from "../objects/built-ins.js";
import type { Encoder, JsonPlace } from "./encoder.js";
import { ESCAPED, escapeKey } from "./escaped-keys.js";
import {
  defineOwn,
  isExactly,
  ownEntries,
  ownSymbols,
  prototypeOf,
  readProperty,
} from "../objects/inspect-object.js";
import { isRevived } from "./revivers.js";
import type { JsonObject, JsonValue } from "./json-value.js";
import { constructorRecord, LC_ESCAPED_KEY, looksLikeRecord } from "./records.js";

/** Encodes a plain object as itself, or as a record of its entries if the official reader would change it. */
export function plainObjectToJson(value: object, place: JsonPlace, encoder: Encoder): JsonValue {
  rejectSymbols(value, place);
  const entries = place.isInMessage
    ? ownEntries(value).filter(([, part]) => part !== undefined)
    : ownEntries(value);
  const mayBeDisguised = entries.length === 0 || prototypeOf(value) === null;
  const disguise = mayBeDisguised ? describeDisguisedBuiltIn(value) : undefined;
  if (disguise !== undefined) throw place.error(`${disguise} can't be stored`);
  if (prototypeOf(value) === null) return encodeEntries(entries, place, encoder, { prototype: null });
  const isUnusual = needsEntries(entries, encoder);
  if (isUnusual && !encoder.keepsKeys) return encodeEntries(entries, place, encoder, {});
  const write = isUnusual ? encodeEscaped : encodeProperties;
  if (place.inKwargs && needsEscape(entries)) {
    return { [LC_ESCAPED_KEY]: write(entries, place.escaped(), encoder) };
  }
  return write(entries, place, encoder);
}

function encodeProperties(entries: [string, unknown][], place: JsonPlace, encoder: Encoder): JsonObject {
  const json: JsonObject = {};
  for (const [key, value] of entries) json[key] = encoder.encode(value, place.child(key));
  return json;
}

/** Writes an object with its keys although JSONB refuses one of them, or a reader would take the object for a record. */
function encodeEscaped(entries: [string, unknown][], place: JsonPlace, encoder: Encoder): JsonObject {
  const json: JsonObject = {};
  for (const [key, value] of entries) {
    defineOwn(json, escapeKey(key), encoder.encode(value, place.child(key)));
  }
  if (isRevived(json)) json[ESCAPED] = true;
  return json;
}

function encodeEntries(
  entries: [string, unknown][],
  place: JsonPlace,
  encoder: Encoder,
  kwargs: JsonObject,
): JsonObject {
  const pairs = entries.map(([key, value]) => [
    encoder.encode(key, place),
    encoder.encode(value, place.inRecord(key, 4)),
  ]);
  return constructorRecord("Object", [pairs], kwargs);
}

function needsEntries(entries: [string, unknown][], encoder: Encoder): boolean {
  let lc: unknown;
  let type: unknown;
  for (const [key, value] of entries) {
    if (key === "__proto__" || !encoder.canWrite(key)) return true;
    if (encoder.keepsKeys && key.startsWith(ESCAPED)) return true;
    if (key === "lc") lc = value;
    else if (key === "type") type = value;
  }
  return lc !== undefined && looksLikeRecord(lc, type);
}

function needsEscape(entries: [string, unknown][]): boolean {
  return (
    entries.some(([key]) => key === "lc") || (entries.length === 1 && entries[0]?.[0] === LC_ESCAPED_KEY)
  );
}

/** Encodes an array as itself, or as a record of its length, elements and properties if it has holes or properties. */
export function arrayToJson(value: readonly unknown[], place: JsonPlace, encoder: Encoder): JsonValue {
  rejectSymbols(value, place);
  if (!isExactly(value, "Array", 2))
    throw place.error("an array of a class of its own can't be stored: store a copy, as in [...value]");
  const keys = Object.keys(value);
  const elements = keys.filter((key, position) => isIndex(key, position, value.length)).length;
  if (elements === keys.length && elements === value.length) return encodeElements(value, place, encoder);
  // Among the keys of an array names come after indices.
  const pairs = keys.map((key, position) => [
    position < elements ? Number(key) : encoder.encode(key, place),
    encoder.encode(readProperty(value, key), place.inRecord(position < elements ? Number(key) : key, 4)),
  ]);
  return constructorRecord("Array", [value.length, pairs]);
}

// A loop, since the callbacks of `map` would use a third of the stack.
function encodeElements(value: readonly unknown[], place: JsonPlace, encoder: Encoder): JsonValue[] {
  const json: JsonValue[] = [];
  for (const [index, item] of value.entries()) json.push(encoder.encode(item, place.child(index)));
  return json;
}

function isIndex(key: string, position: number, length: number): boolean {
  if (key === String(position)) return true;
  const index = Number(key);
  return Number.isInteger(index) && index >= 0 && index < length && String(index) === key;
}

/** Refuses an object with enumerable symbol keys, which no format can store. */
export function rejectSymbols(value: object, place: JsonPlace): void {
  const [symbol] = ownSymbols(value);
  if (symbol !== undefined) {
    throw place
      .inRecord({ step: `[${String(symbol)}]` }, 0)
      .error("a property whose key is a symbol can't be stored: name it by a text");
  }
}
