import { DeserializationError } from "../../errors/index.js";
import { construct, LANGCHAIN_CLASSES, type LangChainClassName } from "../langchain/classes.js";
import { currentArguments } from "../langchain/current-arguments.js";
import type { Decoder, Depth, Revived } from "./decoder.js";
import { defineOwn, ownEntries } from "../objects/inspect-object.js";
import { isJsonObject, isStringArray, type JsonObject } from "./json-value.js";
import { fieldsFromKwargs } from "./langchain-kwargs.js";
import { classNameOfId } from "./langchain-table.js";
import { rememberRecord } from "./read-records.js";

/** Revives a record `{lc: 1, type: "constructor", …}`, or returns `undefined` if it does not name a revivable class. */
export function reviveLangChain(record: JsonObject, depth: Depth, decoder: Decoder): Revived | undefined {
  const { id, kwargs } = record;
  if (record.type !== "constructor" || !isStringArray(id) || !isJsonObject(kwargs)) return undefined;
  const name = classNameOfId(id);
  if (name === undefined) return undefined;
  const value = reviveTableObject(name, record, kwargs, depth, decoder);
  return { value: decoder.keepsKeys ? rememberRecord(value, record) : value };
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
  if (isJsonObject(record.fields)) restoreFields(instance, name, decoder.decode(record.fields, outside));
  for (const key of isStringArray(record.absent) ? record.absent : []) Reflect.deleteProperty(instance, key);
  return instance;
}

function decodeKwargs(kwargs: JsonObject, depth: Depth, decoder: Decoder): object {
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
  if (typeof fields !== "object" || fields === null) return;
  for (const [key, value] of ownEntries(fields)) defineOwn(instance, key, value);
  // Earlier versions also wrote the values of arguments that a field had replaced.
  if (Object.hasOwn(fields, "lc_kwargs"))
    defineOwn(instance, "lc_kwargs", Object.fromEntries(currentArguments(instance, name)));
}
