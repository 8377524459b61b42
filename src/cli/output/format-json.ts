import { isMessage } from "../../audit/named-fields.js";
import { printableJson } from "../../parsing/escape-controls.js";

/**
 * Formats a report as one JSON document for people and for programs such as `jq`. Accepts any value; the result can't be
 * read back as a checkpoint value. A Date becomes ISO 8601; a BigInt beyond 2^53, NaN and Infinity become text; bytes become
 * base64; a Map becomes an object if its keys are text, else a list of pairs; a Set becomes a list; a message becomes its `type`
 * and its fields.
 */
export function formatJson(value: unknown): string {
  return printableJson(toJson(value, []));
}

function toJson(value: unknown, ancestors: readonly object[]): unknown {
  switch (typeof value) {
    case "bigint":
      return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "object":
      return value === null ? null : objectToJson(value, ancestors);
    case "function":
    case "symbol":
      return String(value);
    default:
      return value;
  }
}

function objectToJson(value: object, ancestors: readonly object[]): unknown {
  if (ancestors.includes(value)) return "[circular]";
  const inside = [...ancestors, value];
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
