import { langGraphReviverOf, pythonNameOf } from "./json-langgraph.js";
import { type Reviver, type JsonDecoder, type Depth, inside, type Revived } from "./decoder.js";
import { isData } from "./escaped-keys.js";
import { isJsonObject, isStringArray, type JsonObject, type JsonValue } from "./json-value.js";
import { classNameOfId } from "../langchain/classes.js";
import { BUILTIN_REVIVERS } from "./revive-builtin.js";
import { onlyArgumentOf } from "./records.js";

/** What revives a record `{lc: 2, type: "constructor", …}`, by its id; `undefined` where no class of that is known. */
export function reviverOf(record: JsonObject): Reviver | undefined {
  const ofLangGraph = langGraphReviverOf(record);
  if (ofLangGraph !== undefined) return ofLangGraph;
  const { id } = record;
  if (!isStringArray(id)) return undefined;
  return id.length === 1
    ? BUILTIN_REVIVERS.get(id[0] ?? "")
    : PYTHON_REVIVERS.get(pythonNameOf(record) ?? "");
}

/**
 * Whether the reader of an item may take an object for a record, and return something else than its data. Of LangChain's records those of
 * secrets and of classes that are not known here are data.
 */
export function isRevived(json: JsonObject): boolean {
  const { id, type } = json;
  if (json.lc === 1) {
    const isConstructor = type === "constructor" && isStringArray(id) && isJsonObject(json.kwargs);
    return isConstructor && !isData(json) && classNameOfId(id) !== undefined;
  }
  if (json.lc !== 2) return false;
  if (type === "constructor") return reviverOf(json) !== undefined;
  return type === "undefined" || type === "delta_snapshot";
}

/** The revivers of the records of old Python savers, by module and class. A record of any other class is read as data. */
const PYTHON_REVIVERS: ReadonlyMap<string, Reviver> = new Map<string, Reviver>([
  ["builtins.frozenset", reviveSet],
  ["builtins.set", reviveSet],
  ["builtins.tuple", reviveList],
  ["collections.deque", reviveList],
  ["datetime.datetime", reviveDateTime],
  ["decimal.Decimal", reviveText],
  ["ipaddress.IPv4Address", reviveText],
  ["ipaddress.IPv4Interface", reviveText],
  ["ipaddress.IPv4Network", reviveText],
  ["ipaddress.IPv6Address", reviveText],
  ["ipaddress.IPv6Interface", reviveText],
  ["ipaddress.IPv6Network", reviveText],
  ["uuid.UUID", reviveUuid],
  ["zoneinfo.ZoneInfo", reviveText],
]);

function listOf({ args }: JsonObject): JsonValue[] | undefined {
  if (!Array.isArray(args)) return undefined;
  if (args.length === 0) return [];
  return Array.isArray(args[0]) ? args[0] : undefined;
}

function reviveList(record: JsonObject, depth: Depth, decoder: JsonDecoder): Revived | undefined {
  const list = listOf(record);
  return list && { value: list.map((item) => decoder.decode(item, inside(depth, 3))) };
}

function reviveSet(record: JsonObject, depth: Depth, decoder: JsonDecoder): Revived | undefined {
  const list = listOf(record);
  return list && { value: new Set(list.map((item) => decoder.decode(item, inside(depth, 3)))) };
}

function textOf(record: JsonObject): string | undefined {
  const text = onlyArgumentOf(record);
  return typeof text === "string" ? text : undefined;
}

function reviveText(record: JsonObject): Revived | undefined {
  const value = textOf(record);
  return value === undefined ? undefined : { value };
}

function reviveUuid(record: JsonObject): Revived | undefined {
  const text = textOf(record);
  if (text === undefined) return undefined;
  const [, ...parts] = /^(\w{8})(\w{4})(\w{4})(\w{4})(\w{12})$/.exec(text) ?? [];
  return { value: parts.length === 0 ? text : parts.join("-") };
}

const ISO = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?)\d*(Z|[+-]\d\d:\d\d)?$/;

/** Reads a time without an offset as UTC, so that the result does not depend on the time zone of the reader. */
function reviveDateTime(record: JsonObject): Revived | undefined {
  const [, time, offset] = ISO.exec(textOf(record) ?? "") ?? [];
  const value = new Date(time === undefined ? NaN : `${time}${offset ?? "Z"}`);
  return Number.isNaN(value.getTime()) ? undefined : { value };
}
