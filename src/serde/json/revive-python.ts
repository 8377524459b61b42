import { type Decoder, type Depth, inside, type Revived, type Reviver } from "./decoder.js";
import { isJsonObject, isStringArray, type JsonObject, type JsonValue } from "./json-value.js";
import { onlyArgumentOf } from "./records.js";

/** The revivers of the records of old Python savers, by module and class. A record of any other class is read as data. */
export const PYTHON_REVIVERS: ReadonlyMap<string, Reviver> = new Map<string, Reviver>([
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

/** The module and class that a Python record names, such as `datetime.datetime`. */
export function pythonNameOf({ id }: JsonObject): string | undefined {
  return isStringArray(id) && id.length > 1 ? id.join(".") : undefined;
}

/** Whether a record is a Send of an old Python saver. */
export function isPythonSend(record: JsonObject): boolean {
  return pythonNameOf(record) === "langgraph.types.Send" && sendParts(record) !== undefined;
}

/** Converts a Send of an old Python saver to the record that this library writes for a Send. */
export function sendRecordOf(record: JsonObject): JsonObject {
  const [node, args] = sendParts(record) ?? ["", null];
  return { node, args, lc: 2, type: "constructor", id: ["Send"] };
}

function sendParts({ args, kwargs }: JsonObject): [JsonValue, JsonValue] | undefined {
  const named = isJsonObject(kwargs) ? [kwargs.node, kwargs.arg] : [];
  const [node, arg] = Array.isArray(args) && args.length === 2 ? args : named;
  return typeof node === "string" && arg !== undefined ? [node, arg] : undefined;
}

function listOf({ args }: JsonObject): JsonValue[] | undefined {
  if (!Array.isArray(args)) return undefined;
  if (args.length === 0) return [];
  return Array.isArray(args[0]) ? args[0] : undefined;
}

function reviveList(record: JsonObject, depth: Depth, decoder: Decoder): Revived | undefined {
  const list = listOf(record);
  return list && { value: list.map((item) => decoder.decode(item, inside(depth, 3))) };
}

function reviveSet(record: JsonObject, depth: Depth, decoder: Decoder): Revived | undefined {
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
