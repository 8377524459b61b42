import { inspect, stripVTControlCharacters } from "node:util";
import { namedFieldsOf, isMessage } from "../../audit/named-fields.js";
import { printable, printableColours, printableLines } from "./printable.js";
import type { Style } from "./style.js";
import { printableJson } from "../../parsing/escape-controls.js";

const MAX_BRIEF_LENGTH = 100;
const WIDTH = 100;
const MAX_LINES = 12;

/** Formats a value in full, on as many lines as it needs, with colours if the style has them. */
export function formatValue(value: unknown, { coloured }: Pick<Style, "coloured">): string {
  const text = inspect(value, {
    colors: coloured,
    depth: 12,
    maxArrayLength: 1_000,
    maxStringLength: 10_000,
    breakLength: WIDTH,
  });
  return coloured ? printableColours(text) : printableLines(text);
}

/** Formats a value for a cell of a table: on one line, truncated if it is long. */
export function formatBriefly(value: unknown): string {
  const text = inspect(value, { depth: 3, maxArrayLength: 10, maxStringLength: 200, breakLength: Infinity });
  const line = printable(stripVTControlCharacters(text).replaceAll(/\s*\n\s*/g, " "));
  return line.length <= MAX_BRIEF_LENGTH ? line : `${line.slice(0, MAX_BRIEF_LENGTH - 1)}…`;
}

/** Formats a part of a value on a few lines, truncated if it is long. Empty fields of a message are left out. */
export function formatPart(value: unknown): string {
  const text = inspect(withoutEmptyFields(value), {
    ...{ depth: 6, maxArrayLength: 100, maxStringLength: 200, breakLength: WIDTH },
  });
  const lines = printableLines(text).split("\n");
  const rest = lines.length - MAX_LINES;
  // A note about one more line would take as much room as the line.
  return rest <= 1 ? lines.join("\n") : [...lines.slice(0, MAX_LINES), `… ${rest} more lines`].join("\n");
}

function withoutEmptyFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmptyFields);
  const message = namedFieldsOf(value);
  if (message?.isMessage !== true) return value;
  const isEmpty = (field: unknown) =>
    field === undefined || field === null || (typeof field === "object" && Object.keys(field).length === 0);
  const shown = Object.entries(message.fields).filter(([, field]) => !isEmpty(field));
  return { type: message.kind, ...Object.fromEntries(shown) };
}

/** Puts a prefix before each line of a text. */
export function indent(text: string, prefix = "  "): string {
  return text
    .split("\n")
    .map((line) => `${prefix}${line}`)
    .join("\n");
}

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
