import { DeserializationError } from "../../errors.js";
import { LANGCHAIN_CLASSES, type LangChainClassName } from "../langchain/classes.js";
import type { Decoder, Depth, Revived } from "./decoder.js";
import { defineOwn, ownEntries } from "./inspect-object.js";
import { isJsonObject, isStringArray, type JsonObject, type JsonValue } from "./json-value.js";
import { isForeignId } from "./langchain-foreign.js";
import { fieldsFromKwargs } from "./langchain-kwargs.js";
import { classNameOfId, construct } from "./langchain-table.js";

/** Revives a record `{lc: 1, type: "constructor", …}`; undefined for one that is only data. */
export function reviveLangChain(record: JsonObject, depth: Depth, decoder: Decoder): Revived | undefined {
  const { id, kwargs } = record;
  if (record.type !== "constructor" || !isStringArray(id) || !isJsonObject(kwargs)) return undefined;
  const name = classNameOfId(id);
  if (name !== undefined) return { value: reviveTableObject(name, record, kwargs, depth, decoder) };
  return isForeignId(id) ? decoder.resolve(record, depth) : undefined;
}

function reviveTableObject(
  name: LangChainClassName,
  record: JsonObject,
  kwargs: JsonObject,
  depth: Depth,
  decoder: Decoder,
): object {
  const instance = make(name, decodeKwargs(kwargs, depth, decoder));
  const outside = { level: depth.level, inKwargs: false };
  if (isJsonObject(record.fields)) restoreFields(instance, decoder.decode(record.fields, outside));
  for (const key of isStringArray(record.absent) ? record.absent : []) Reflect.deleteProperty(instance, key);
  return instance;
}

/** The kwargs of a record with everything in them decoded. */
export function decodeKwargs(kwargs: JsonValue, depth: Depth, decoder: Decoder): object {
  const decoded: object = {};
  if (!isJsonObject(kwargs)) return decoded;
  const deeper = { level: depth.level + 2, inKwargs: true };
  for (const [key, value] of Object.entries(kwargs)) defineOwn(decoded, key, decoder.decode(value, deeper));
  return decoded;
}

function make(name: LangChainClassName, kwargs: object): object {
  const fields = fieldsFromKwargs(kwargs, LANGCHAIN_CLASSES[name].prototype);
  try {
    return construct(name, fields);
  } catch (cause) {
    throw new DeserializationError(`the class ${name} refuses the fields that are stored for it`, { cause });
  }
}

function restoreFields(instance: object, fields: unknown): void {
  if (typeof fields !== "object" || fields === null) return;
  for (const [key, value] of ownEntries(fields)) defineOwn(instance, key, value);
}
