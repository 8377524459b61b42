import { types } from "node:util";
import { isArray, isObject } from "../../serde/objects/inspect-object.js";
import { bigintText, dateText, errorText } from "./describe-value.js";
import { Unread } from "./read-property.js";
import { eachPart, type Part } from "./value-parts.js";
import { bufferOf, isBytes, valueTypeOf } from "./value-type.js";

interface Level {
  readonly value: object;
  readonly parts: Iterator<Part, undefined>;
  readonly isList: boolean;
  isEmpty: boolean;
}

/**
 * Yields a value as JSON text, in pieces. What JSON lacks becomes text: ISO 8601 for a date, base64 for bytes, digits for a BigInt,
 * `"NaN"`. A Map becomes an object if all its keys are text, else a list of pairs; a Set becomes a list. What can't be read and what is
 * inside itself become `null`.
 */
export function* jsonText(value: unknown): Generator<string, undefined> {
  const levels: Level[] = [];
  const around = new Set<unknown>();
  yield* begin(value, levels, around);
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const next = level.parts.next();
    if (next.done === true) {
      yield level.isList ? "]" : "}";
      levels.pop();
      around.delete(level.value);
      continue;
    }
    if (!level.isEmpty) yield ",";
    level.isEmpty = false;
    if (!level.isList) yield `${JSON.stringify(next.value.label)}:`;
    yield* begin(next.value.value, levels, around);
  }
}

/** Yields a value without parts, or the beginning of one with parts, which becomes the innermost level. */
function* begin(value: unknown, levels: Level[], around: Set<unknown>): Generator<string, undefined> {
  const text = leafText(value);
  if (text !== undefined) {
    yield text;
    return;
  }
  if (!isObject(value) || around.has(value)) {
    yield "null";
    return;
  }
  const isList = isListInJson(value);
  yield isList ? "[" : "{";
  around.add(value);
  levels.push({ value, isList, isEmpty: true, parts: isPairs(value) ? eachPair(value) : eachPart(value) });
}

/** Returns the JSON of a value that has no parts there. */
function leafText(value: unknown): string | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return JSON.stringify(value);
    case "number":
      return Number.isFinite(value) ? String(value) : JSON.stringify(String(value));
    case "bigint":
      return Number.isSafeInteger(Number(value)) ? String(value) : JSON.stringify(bigintText(value));
    case "object":
      return value === null ? "null" : objectText(value);
    default:
      return "null";
  }
}

function objectText(value: object): string | undefined {
  if (types.isProxy(value) || value instanceof Unread) return "null";
  if (isBytes(value)) return JSON.stringify(bufferOf(value).toString("base64"));
  if (types.isDate(value)) return JSON.stringify(dateText(value));
  if (types.isNativeError(value)) return JSON.stringify(errorText(value));
  if (types.isRegExp(value)) return JSON.stringify(RegExp.prototype.toString.call(value));
  return value instanceof URL ? JSON.stringify(value.href) : undefined;
}

function isListInJson(value: object): boolean {
  const type = valueTypeOf(value);
  return type === "array" || type === "set" || isPairs(value);
}

function isPairs(value: object): value is Map<unknown, unknown> {
  if (!types.isMap(value)) return false;
  return [...Map.prototype.keys.call(value)].some((key: unknown) => typeof key !== "string");
}

function* eachPair(map: Map<unknown, unknown>): Generator<Part, undefined> {
  let step = 0;
  for (const pair of Map.prototype.entries.call(map)) {
    yield { step, label: String(step), value: isArray(pair) ? [...pair] : pair };
    step++;
  }
}

/** Returns the start of a value's JSON text. */
export function briefJson(value: unknown, max: number): string {
  let text = "";
  for (const piece of jsonText(value)) {
    text += piece;
    if (text.length > max) break;
  }
  return text;
}

/** Returns what a text says as JSON; `undefined` for one that is none. */
export function parseIfJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
