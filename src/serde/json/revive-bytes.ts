import type { Revived } from "./decoder.js";
import { isStringArray, type JsonObject, type JsonValue } from "./json-value.js";

type MakeView = (bytes: ArrayBuffer) => ArrayBufferView;

interface ViewClass {
  /** Bytes per element. */
  readonly size: number;
  readonly make: MakeView;
}

const VIEWS: Readonly<Record<string, ViewClass>> = {
  BigInt64Array: { size: 8, make: (bytes) => new BigInt64Array(bytes) },
  BigUint64Array: { size: 8, make: (bytes) => new BigUint64Array(bytes) },
  DataView: { size: 1, make: (bytes) => new DataView(bytes) },
  ...float16(),
  Float32Array: { size: 4, make: (bytes) => new Float32Array(bytes) },
  Float64Array: { size: 8, make: (bytes) => new Float64Array(bytes) },
  Int16Array: { size: 2, make: (bytes) => new Int16Array(bytes) },
  Int32Array: { size: 4, make: (bytes) => new Int32Array(bytes) },
  Int8Array: { size: 1, make: (bytes) => new Int8Array(bytes) },
  Uint16Array: { size: 2, make: (bytes) => new Uint16Array(bytes) },
  Uint32Array: { size: 4, make: (bytes) => new Uint32Array(bytes) },
  Uint8ClampedArray: { size: 1, make: (bytes) => new Uint8ClampedArray(bytes) },
};

/** Only newer runtimes have this one. */
function float16(): Record<string, ViewClass> {
  const Class: unknown = Reflect.get(globalThis, "Float16Array");
  if (typeof Class !== "function") return {};
  const make: MakeView = (bytes) => {
    const view: unknown = Reflect.construct(Class, [bytes]);
    if (!ArrayBuffer.isView(view)) throw new TypeError("Float16Array made no view");
    return view;
  };
  return { Float16Array: { size: 2, make } };
}

/** The views of an ArrayBuffer that are written as base64 of their bytes, little-endian. */
export const VIEW_NAMES = Object.keys(VIEWS);

/** Revives the official record of a Uint8Array, whose bytes are numbers. */
export function reviveBytes({ method, args }: JsonObject): Revived | undefined {
  if (method !== undefined && method !== null && method !== "from") return undefined;
  const bytes = Array.isArray(args) && args.length === 1 ? args[0] : undefined;
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
  const view = VIEWS[nameOf(record) ?? ""];
  const bytes = base64Of(record);
  if (view === undefined || bytes === undefined || bytes.byteLength % view.size !== 0) return undefined;
  return { value: view.make(bytes) };
}

function nameOf({ id }: JsonObject): string | undefined {
  return isStringArray(id) ? id[0] : undefined;
}

function base64Of({ args }: JsonObject): ArrayBuffer | undefined {
  const text = Array.isArray(args) && args.length === 1 ? args[0] : undefined;
  if (typeof text !== "string") return undefined;
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? Uint8Array.from(bytes).buffer : undefined;
}
