import { Document } from "@langchain/core/documents";
import { BaseMessage } from "@langchain/core/messages";
import { pythonOriginOf } from "../python/python-origin.js";
import { isArray, isRecord } from "../objects/inspect-object.js";

/** Describes a value as JSON, in the notation of tests/fixtures/python/msgpack_rows.py. */
export function describeAsJson(value: unknown): unknown {
  if (value === undefined) return { undefined: true };
  if (typeof value === "bigint") return { bigint: String(value) };
  if (typeof value === "number" && (Object.is(value, -0) || !Number.isFinite(value)))
    return { number: Object.is(value, -0) ? "-0" : String(value) };
  return typeof value === "object" && value !== null ? describeObject(value) : value;
}

function describeObject(value: object): unknown {
  const origin = pythonOriginOf(value);
  if (value instanceof Date)
    return { date: value.getTime(), ...(origin && { text: origin.written?.argument }) };
  if (value instanceof RegExp) return { regexp: String(value) };
  if (value instanceof Map) return { map: [...value].map((entry) => entry.map(describeAsJson)) };
  if (ArrayBuffer.isView(value)) return describeView(value);
  if (value instanceof BaseMessage) return describeMessage(value);
  if (value instanceof Document)
    return { document: value.pageContent, metadata: describeAsJson(value.metadata), id: value.id };
  if ("lg_name" in value) return describeLangGraph(value);
  if (origin === undefined) return describePlain(value);
  return { python: `${origin.code} ${origin.module}.${origin.name}`, value: describePlain(value) };
}

function describePlain(value: object): unknown {
  if (value instanceof Set) return { set: [...value].map(describeAsJson) };
  return isArray(value) ? value.map(describeAsJson) : describeEntries(Object.entries(value));
}

function describeEntries(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  return Object.fromEntries(entries.map(([key, part]) => [key, describeAsJson(part)]));
}

function describeView(value: ArrayBufferView): unknown {
  const { array } = pythonOriginOf(value) ?? {};
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("hex");
  return {
    [value.constructor.name]: bytes,
    ...(array && { array: [array.dtype, array.shape, array.order] }),
  };
}

function describeMessage(message: BaseMessage): unknown {
  const fields = Object.entries(message).filter(
    ([key, value]) => !key.startsWith("lc_") && key !== "type" && value !== undefined,
  );
  return { message: message.constructor.name, fields: describeEntries(fields) };
}

function describeLangGraph(value: object): unknown {
  const { lg_name: lg, __overwrite__: overwritten, ...fields } = { ...value } as Record<string, unknown>;
  const known = overwritten === undefined ? fields : { value: overwritten };
  const given = Object.entries(known).filter(
    ([key, part]) => part !== undefined && key !== "lc_direct_tool_output",
  );
  return { lg, ...describeEntries(given) };
}

/** Narrows the content of msgpack-rows.json to its rows. */
export function pythonRows(
  json: unknown,
): { name: string; type: string; data: string; sees: unknown; keeps: boolean }[] {
  if (!isArray(json)) throw new TypeError("the rows are not an array");
  return json.map((row) => {
    if (!isRecord(row)) throw new TypeError("a row is not an object");
    const { name, type, data, sees, keeps } = row;
    return { name: String(name), type: String(type), data: String(data), sees, keeps: keeps === true };
  });
}
