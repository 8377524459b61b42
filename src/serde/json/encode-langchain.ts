import { isDeepStrictEqual } from "node:util";
import type { LangChainClassName } from "../langchain/classes.js";
import type { Encoder } from "./encoder.js";
import { ownSymbols, readProperty } from "../objects/inspect-object.js";
import type { JsonObject, JsonValue } from "./json-value.js";
import { isSerializableObject, type Kwarg, kwargsOf } from "./langchain-kwargs.js";
import { tableClassOf } from "./langchain-table.js";
import type { Place } from "./place.js";
import { differenceFromRebuilt } from "./rebuilt-difference.js";
import { isObject } from "../objects/type-guards.js";
import { TreeDecoder } from "./tree-decoder.js";

/**
 * Encodes a LangChain object as the record that its own `toJSON` writes, or returns `undefined` for any other object. One that was read
 * from a record of an item and is unchanged is encoded as that record, since LangChain for Python writes others.
 */
export function encodeLangChain(value: object, place: Place, encoder: Encoder): JsonValue | undefined {
  const name = tableClassOf(value);
  if (name === undefined) return undefined;
  const fresh = encodeTableObject(value, name, name === "Document" ? place : place.ofMessage(), encoder);
  const record = encoder.recordOf(value);
  if (record === undefined) return fresh;
  return isUnchanged(value, record, place, encoder)
    ? structuredClone(record)
    : { ...fresh, id: record.id ?? null };
}

/** Whether an object is what the record is read as. */
function isUnchanged(value: object, record: JsonObject, place: Place, encoder: Encoder): boolean {
  // The whole of an item is data, and an object of LangChain a part of it.
  const depth = { level: Math.max(place.depth, 1), inKwargs: place.inKwargs };
  const read: unknown = new TreeDecoder({ langGraph: null }, true).decode(record, depth);
  if (!isObject(read)) return false;
  return isDeepStrictEqual(encoder.encodeAnew(value, place), encoder.encodeAnew(read, place));
}

function encodeTableObject(
  value: object,
  name: LangChainClassName,
  place: Place,
  encoder: Encoder,
): JsonObject {
  const [symbol] = ownSymbols(value);
  if (symbol !== undefined) throw place.error(`has a property whose key is ${String(symbol)}`);
  const all = isSerializableObject(value) ? kwargsOf(value, name) : documentKwargs(value);
  const kwargs = writable(all, encoder);
  return {
    ...record(idOf(value, name, encoder), encodeKwargs(kwargs, place, encoder)),
    ...encodeDifference(value, name, kwargs, place, encoder),
  };
}

/** LangChain for JavaScript and for Python have no id of a document in common. Items are for both, and this library reads each. */
function idOf(value: object, name: LangChainClassName, encoder: Encoder): string[] {
  if (isSerializableObject(value)) return [...value.lc_id];
  return encoder.keepsKeys
    ? ["langchain", "schema", "document", name]
    : ["langchain_core", "documents", name];
}

function documentKwargs(value: object): Kwarg[] {
  const kwargs = [
    { field: "pageContent", jsonKey: "page_content", value: readProperty(value, "pageContent") },
    { field: "metadata", jsonKey: "metadata", value: readProperty(value, "metadata") },
    { field: "id", jsonKey: "id", value: readProperty(value, "id") },
  ];
  return kwargs.filter((kwarg) => kwarg.value !== undefined);
}

function writable(kwargs: Kwarg[], encoder: Encoder): Kwarg[] {
  return kwargs.filter(({ jsonKey }) => jsonKey !== "__proto__" && encoder.canWrite(jsonKey));
}

function encodeKwargs(kwargs: Kwarg[], place: Place, encoder: Encoder): JsonObject {
  return Object.fromEntries(
    kwargs.map(({ field, jsonKey, value }) => [jsonKey, encoder.encode(value, place.kwarg(field))]),
  );
}

function record(id: string[], kwargs: JsonObject): JsonObject {
  return { lc: 1, type: "constructor", id, kwargs };
}

/** Encodes the own fields that reading the kwargs would not restore. Core's `load` ignores these two keys of a record. */
function encodeDifference(
  value: object,
  name: LangChainClassName,
  kwargs: Kwarg[],
  place: Place,
  encoder: Encoder,
): JsonObject {
  const { fields, absent } = differenceFromRebuilt(value, name, kwargs);
  return {
    ...(Object.keys(fields).length === 0
      ? {}
      : {
          fields: encoder.encode(
            fields,
            place.inRecord(() => "", 1),
          ),
        }),
    ...(absent.length === 0 ? {} : { absent }),
  };
}
