import { Document } from "@langchain/core/documents";
import { BaseMessage } from "@langchain/core/messages";
import { pythonOriginOf } from "../../src/serde/python/python-origin.js";
import { isRecord } from "../../src/serde/objects/inspect-object.js";

/** Renders a value as a cell of a Markdown table: its class and content, and the Python class that it keeps. */
export function renderValue(value: unknown): string {
  const code = `\`${render(value).replaceAll("|", "\\|")}\``;
  const keepsOrigin = isRecord(value) || BaseMessage.isInstance(value);
  const origin = keepsOrigin ? pythonOriginOf(value) : undefined;
  if (origin === undefined) return code;
  return `${code}, which remembers \`${origin.module}.${origin.name}\``;
}

function render(value: unknown): string {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  if (typeof value !== "object" || value === null)
    return value === undefined ? "undefined" : JSON.stringify(value);
  if (value instanceof Date) return `Date ${value.toISOString()}`;
  if (value instanceof RegExp) return `RegExp ${String(value)}`;
  if (value instanceof Set) return `Set ${list([...value])}`;
  if (value instanceof Map)
    return `Map {${[...value].map((pair) => pair.map(render).join(" → ")).join(", ")}}`;
  if (ArrayBuffer.isView(value)) return renderView(value);
  if (value instanceof BaseMessage || value instanceof Document || "lg_name" in value) return nameOf(value);
  return Array.isArray(value) ? list(value) : `{${entries(value)}}`;
}

function renderView(view: ArrayBufferView): string {
  const items: unknown[] = Array.from(Object.values(view));
  const { array } = pythonOriginOf(view) ?? {};
  const layout = array === undefined ? "" : ` of ${array.dtype}, ${array.shape.join(" × ")}, ${array.order}`;
  return `${view.constructor.name} ${list(items)}${layout}`;
}

function nameOf(value: object): string {
  const name: unknown = Reflect.get(value, "lg_name");
  return typeof name === "string" ? name : value.constructor.name;
}

function list(items: readonly unknown[]): string {
  return `[${items.map(render).join(", ")}]`;
}

function entries(value: object): string {
  return Object.entries(value)
    .map(([key, part]) => `${key}: ${render(part)}`)
    .join(", ");
}
