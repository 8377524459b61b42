import { TYPED_ARRAYS } from "../objects/typed-arrays.js";
import type { Revived } from "./decoder.js";
import { isStringArray, type JsonObject, type JsonValue } from "./json-value.js";
import { onlyArgumentOf } from "./records.js";

const VIEWS: ReadonlyMap<string, ViewClass> = new Map<string, ViewClass>([
  ["DataView", { BYTES_PER_ELEMENT: 1, make: (bytes) => new DataView(bytes) }],
  ...[...TYPED_ARRAYS]
    .filter(([name]) => name !== "Uint8Array")
    .map(([name, Class]): [string, ViewClass] => [
      name,
      { BYTES_PER_ELEMENT: Class.BYTES_PER_ELEMENT, make: (bytes) => new Class(bytes) },
    ]),
]);

interface ViewClass {
  readonly BYTES_PER_ELEMENT: number;
  readonly make: (bytes: ArrayBuffer) => ArrayBufferView;
}

/** The views of an ArrayBuffer that are written as base64 of their bytes, little-endian. */
export const VIEW_NAMES = [...VIEWS.keys()];

/** Revives the official record of a Uint8Array, which lists the bytes as numbers. */
export function reviveBytes(record: JsonObject): Revived | undefined {
  const { method } = record;
  if (method !== undefined && method !== null && method !== "from") return undefined;
  const bytes = onlyArgumentOf(record);
  return Array.isArray(bytes) && bytes.every(isByte) ? { value: Uint8Array.from(bytes) } : undefined;
}

function isByte(item: JsonValue): item is number {
  return typeof item === "number" && Number.isInteger(item) && item >= 0 && item <= 255;
}

/** Revives an ArrayBuffer or a Buffer from base64. */
export function reviveBuffer(record: JsonObject): Revived | undefined {
  const bytes = base64Of(record);
  if (bytes === undefined) return undefined;
  return { value: nameOf(record) === "Buffer" ? Buffer.from(bytes) : bytes };
}

/** Revives a typed array or a DataView from base64. */
export function reviveView(record: JsonObject): Revived | undefined {
  const view = VIEWS.get(nameOf(record) ?? "");
  const bytes = base64Of(record);
  if (view === undefined || bytes === undefined || bytes.byteLength % view.BYTES_PER_ELEMENT !== 0)
    return undefined;
  return { value: view.make(bytes) };
}

function nameOf({ id }: JsonObject): string | undefined {
  return isStringArray(id) ? id[0] : undefined;
}

function base64Of(record: JsonObject): ArrayBuffer | undefined {
  const text = onlyArgumentOf(record);
  if (typeof text !== "string") return undefined;
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? Uint8Array.from(bytes).buffer : undefined;
}
