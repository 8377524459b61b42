import { isMessage } from "../is-message.js";
import { printable } from "./printable.js";

/**
 * Writes a report as one JSON document, whatever values it holds, for reading by people and programs such as `jq`: it is
 * no form in which values are stored. A Date is ISO 8601, a BigInt beyond 2^53 and a number that is none are text, bytes are
 * base64, a Map is a list of pairs unless its keys are text, a Set is a list, a message has `type` and its fields.
 */
export function formatJson(value: unknown): string {
  return printable(JSON.stringify(toJson(value, [])));
}

function toJson(value: unknown, within: readonly object[]): unknown {
  switch (typeof value) {
    case "bigint":
      return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "object":
      return value === null ? null : objectToJson(value, within);
    case "function":
    case "symbol":
      return String(value);
    default:
      return value;
  }
}

function objectToJson(value: object, within: readonly object[]): unknown {
  if (within.includes(value)) return "[circular]";
  const inside = [...within, value];
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
  if (ArrayBuffer.isView(value)) {
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64");
  }
  if (value instanceof ArrayBuffer) return Buffer.from(value).toString("base64");
  if (Array.isArray(value) || value instanceof Set) return [...value].map((item) => toJson(item, inside));
  if (value instanceof Map) return mapToJson(value, inside);
  if (isMessage(value)) return fieldsToJson({ type: value.type, ...value.toDict().data }, inside);
  if (value instanceof Error) return { name: value.name, message: value.message };
  if (value instanceof RegExp || value instanceof URL) return String(value);
  return fieldsToJson(value, inside);
}

function mapToJson(map: Map<unknown, unknown>, inside: readonly object[]): unknown {
  const entries = [...map];
  if (entries.every(([key]) => typeof key === "string")) {
    return Object.fromEntries(entries.map(([key, value]) => [key, toJson(value, inside)]));
  }
  return entries.map(([key, value]) => [toJson(key, inside), toJson(value, inside)]);
}

function fieldsToJson(value: object, inside: readonly object[]): unknown {
  return Object.fromEntries(
    Object.entries(value).map(([key, field]: [string, unknown]) => [key, toJson(field, inside)]),
  );
}
