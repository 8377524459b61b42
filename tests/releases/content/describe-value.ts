import { createHash } from "node:crypto";

/** Longer texts and bytes are described by a digest. */
const MAX_SHOWN = 300;

/** What tells messages and documents apart. A later LangChain may add fields with defaults. */
const LANGCHAIN_FIELDS = [
  "content",
  "pageContent",
  "metadata",
  "id",
  "name",
  "role",
  "tool_calls",
  "invalid_tool_calls",
  "tool_call_id",
  "artifact",
  "status",
  "usage_metadata",
  "response_metadata",
  "additional_kwargs",
];

/**
 * Describes a value as JSON: equal descriptions mean equal values. It knows objects by what they carry, because a version of the package
 * in a process of its own has other copies of their classes.
 */
export function describeValue(value: unknown): unknown {
  if (value === undefined) return { undefined: true };
  if (typeof value === "bigint") return { bigint: String(value) };
  if (typeof value === "string")
    return value.length > MAX_SHOWN ? { text: digest(Buffer.from(value)) } : value;
  if (typeof value === "number" && (Object.is(value, -0) || !Number.isFinite(value)))
    return { number: Object.is(value, -0) ? "-0" : String(value) };
  return typeof value === "object" && value !== null ? describeObject(value) : value;
}

function describeObject(value: object): unknown {
  if (Array.isArray(value)) return value.map(describeValue);
  if (value instanceof Date) return { date: value.toISOString() };
  if (value instanceof RegExp || value instanceof URL) return { [value.constructor.name]: String(value) };
  if (value instanceof Map)
    return { map: [...value].map(([key, item]) => [describeValue(key), describeValue(item)]) };
  if (value instanceof Set) return { set: [...value].map(describeValue) };
  if (ArrayBuffer.isView(value)) return { [value.constructor.name]: describeBytes(value) };
  if (value instanceof Error) return { error: value.name, message: value.message, ...describeEntries(value) };
  if ("lc_namespace" in value) return { [value.constructor.name]: describeFields(value, LANGCHAIN_FIELDS) };
  if ("lg_name" in value) return describeFields(value, Object.keys(value));
  return describeEntries(value);
}

function describeBytes(view: ArrayBufferView): string {
  const bytes = Buffer.from(view.buffer, view.byteOffset, view.byteLength);
  return bytes.length > MAX_SHOWN ? digest(bytes) : bytes.toString("hex");
}

function digest(bytes: Uint8Array): string {
  return `${bytes.length} bytes, SHA-256 ${createHash("sha256").update(bytes).digest("hex")}`;
}

/** A field that is undefined may be missing in another version. */
function describeFields(value: object, names: readonly string[]): unknown {
  const fields = Object.entries(value).filter(([key, part]) => names.includes(key) && part !== undefined);
  return describeEntries(Object.fromEntries(fields));
}

function describeEntries(value: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, describeValue(part)]));
}
