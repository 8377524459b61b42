import {
  DOCUMENT_FIELDS,
  type LangChainClassName,
  tableClassOf,
  construct,
  LANGCHAIN_CLASSES,
  currentArguments,
  isSerializableObject,
} from "../langchain/classes.js";
import { isDeepStrictEqual } from "node:util";
import type { Encoder, JsonPlace } from "./encoder.js";
import {
  ownSymbols,
  readProperty,
  isObject,
  defineOwn,
  ownEntries,
  prototypeOf,
  isPlainObject,
} from "../objects/inspect-object.js";
import type { JsonObject, JsonValue } from "./json-value.js";
import { type Kwarg, kwargsOf, fieldsFromKwargs } from "./langchain-records.js";
import { TreeDecoder } from "./decode-json.js";

/**
 * Encodes a LangChain object as the record that its own `toJSON` writes, or returns `undefined` for any other object. One that was read
 * from a record of an item and is unchanged is encoded as that record, since LangChain for Python writes others.
 */
export function langChainToJson(value: object, place: JsonPlace, encoder: Encoder): JsonValue | undefined {
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
function isUnchanged(value: object, record: JsonObject, place: JsonPlace, encoder: Encoder): boolean {
  // The whole of an item is data, and an object of LangChain a part of it.
  const depth = { level: Math.max(place.depth, 1), inKwargs: place.inKwargs };
  const read: unknown = new TreeDecoder({ langGraph: null }, true).decode(record, depth);
  if (!isObject(read)) return false;
  return isDeepStrictEqual(encoder.encodeAnew(value, place), encoder.encodeAnew(read, place));
}

function encodeTableObject(
  value: object,
  name: LangChainClassName,
  place: JsonPlace,
  encoder: Encoder,
): JsonObject {
  const [symbol] = ownSymbols(value);
  if (symbol !== undefined) throw place.error(`has a property whose key is ${String(symbol)}`);
  const all = isSerializableObject(value) ? kwargsOf(value, name) : documentKwargs(value);
  const kwargs = all.filter(({ jsonKey }) => jsonKey !== "__proto__" && encoder.canWrite(jsonKey));
  return {
    lc: 1,
    type: "constructor",
    id: idOf(value, name, encoder),
    kwargs: encodeKwargs(kwargs, place, encoder),
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
  return Object.entries(DOCUMENT_FIELDS)
    .map(([field, jsonKey]) => ({ field, jsonKey, value: readProperty(value, field) }))
    .filter((kwarg) => kwarg.value !== undefined);
}

function encodeKwargs(kwargs: Kwarg[], place: JsonPlace, encoder: Encoder): JsonObject {
  return Object.fromEntries(
    kwargs.map(({ field, jsonKey, value }) => [jsonKey, encoder.encode(value, place.kwarg(field))]),
  );
}

/** Encodes the own fields that reading the kwargs would not restore. Core's `load` ignores these two keys of a record. */
function encodeDifference(
  value: object,
  name: LangChainClassName,
  kwargs: Kwarg[],
  place: JsonPlace,
  encoder: Encoder,
): JsonObject {
  const { fields, absent } = differenceFromRebuilt(value, name, kwargs);
  const hasFields = Object.keys(fields).length > 0;
  return {
    ...(hasFields && { fields: encoder.encode(fields, place.inRecord({ step: "" }, 1)) }),
    ...(absent.length > 0 && { absent }),
  };
}

/** The changes that turn an object built from the kwargs into the object that was written. */
interface Difference {
  /** The own properties to set. */
  readonly fields: Record<string, unknown>;
  /** The own properties to remove. */
  readonly absent: string[];
}

/**
 * Builds the object that a reader would build from the kwargs, and compares it with `value`. They differ if a field was set after
 * construction, or if core's mapping of names between JSON and class changes a name.
 */
function differenceFromRebuilt(value: object, name: LangChainClassName, kwargs: Kwarg[]): Difference {
  const rebuilt = rebuild(name, kwargs);
  const fields: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const field = currentValue(value, key, name);
    if (!Object.hasOwn(rebuilt, key) || !isSameData(field, currentValue(rebuilt, key, name)))
      defineOwn(fields, key, field);
  }
  return { fields, absent: Object.keys(rebuilt).filter((key) => !Object.hasOwn(value, key)) };
}

/** An own property. The constructor arguments are those of {@link currentArguments}, as values that the object no longer has aren't stored. */
function currentValue(value: object, key: string, name: LangChainClassName): unknown {
  return key === ARGUMENTS ? Object.fromEntries(currentArguments(value, name)) : readProperty(value, key);
}

const ARGUMENTS = "lc_kwargs";

/** Passes copies of arrays, since some constructors add elements to them. */
function rebuild(name: LangChainClassName, kwargs: Kwarg[]): object {
  const copies = kwargs.map(({ jsonKey, value }): [string, unknown] => [
    jsonKey,
    Array.isArray(value) ? Array.from<unknown>(value) : value,
  ]);
  const fields = fieldsFromKwargs(Object.fromEntries(copies), LANGCHAIN_CLASSES[name].prototype);
  return Array.isArray(fields.tool_calls) ? constructQuietly(name, fields) : construct(name, fields);
}

/** Hides raw tool calls in the additional kwargs, since the constructor of a message would only print a warning about them. */
function constructQuietly(name: LangChainClassName, fields: Record<string, unknown>): object {
  if (typeof fields.additional_kwargs !== "object") return construct(name, fields);
  const hidden = {};
  const instance = construct(name, { ...fields, additional_kwargs: hidden });
  for (const holder of [instance, readProperty(instance, ARGUMENTS)]) {
    if (isObject(holder) && readProperty(holder, "additional_kwargs") === hidden)
      defineOwn(holder, "additional_kwargs", fields.additional_kwargs);
  }
  return instance;
}

/** Whether two values are the same data: identical, or arrays or plain objects of the same data in the same order. */
function isSameData(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (!isObject(a) || !isObject(b) || prototypeOf(a) !== prototypeOf(b)) return false;
  if (!Array.isArray(a) && !isPlainObject(a)) return false;
  const left = ownEntries(a);
  const right = ownEntries(b);
  const isSame = ([key, part]: [string, unknown], index: number): boolean =>
    key === right[index]?.[0] && isSameData(part, right[index][1]);
  return left.length === right.length && left.every(isSame);
}
