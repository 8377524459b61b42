import { types } from "node:util";
import { isArray, isObject, isPlainObject } from "../../serde/objects/inspect-object.js";
import { HOLE, readOwn } from "./read-property.js";
import { valueTypeOf } from "./value-type.js";
import type { ValuePath } from "../api/value-node.js";

/** An element, a property or an entry of a value. */
export interface Part {
  /** The position among the parts. */
  readonly step: number;
  /** The name of the property, the position of the element, or the key of the entry as text. */
  readonly label: string;
  readonly value: unknown;
}

/** An entry of a Map whose key is an object, which no label can show whole. */
class Entry {
  readonly key: object;
  readonly value: unknown;

  constructor(key: object, value: unknown) {
    this.key = key;
    this.value = value;
  }
}

/** What LangChain keeps in its objects for itself. */
const OF_LANGCHAIN = new Set(["lc_kwargs", "lc_namespace", "lc_serializable", "lc_direct_tool_output"]);

/** Returns the number of parts of a value. */
export function countParts(value: unknown): number {
  if (!isObject(value)) return 0;
  const type = valueTypeOf(value);
  if (type === "array") return isArray(value) ? value.length : 0;
  if (types.isMap(value) || types.isSet(value)) return value.size;
  return type === "object" || type === "error" ? namesOf(value).length : 0;
}

/** Returns some parts of a value, in a stable order. No getter runs. */
export function somePartsOf(value: unknown, offset = 0, limit = Infinity): Part[] {
  const parts: Part[] = [];
  for (const part of eachPart(value, offset)) {
    if (parts.length >= limit) break;
    parts.push(part);
  }
  return parts;
}

/** Yields the parts of a value, in a stable order, from a position on. No getter runs. */
export function* eachPart(value: unknown, offset = 0): Generator<Part, undefined> {
  if (!isObject(value)) return;
  const type = valueTypeOf(value);
  if (isArray(value) && type === "array") yield* elementsOf(value, offset);
  else if (types.isMap(value) || types.isSet(value)) {
    let step = 0;
    for (const entry of types.isMap(value) ? Map.prototype.entries.call(value) : membersOf(value)) {
      if (step >= offset) yield partOf(step, entry, types.isMap(value));
      step++;
    }
  } else if (type === "object" || type === "error") {
    const names = namesOf(value);
    for (const [index, name] of names.slice(offset).entries()) {
      yield { step: offset + index, label: name, value: readOwn(value, name) };
    }
  }
}

/** Returns the position of a property among the parts of a value. */
export function stepTo(value: unknown, name: string): number | undefined {
  const index = isObject(value) && valueTypeOf(value) === "object" ? namesOf(value).indexOf(name) : -1;
  return index === -1 ? undefined : index;
}

function* elementsOf(array: readonly unknown[], offset: number): Generator<Part, undefined> {
  for (let step = offset; step < array.length; step++) {
    const value = Object.hasOwn(array, step) ? readOwn(array, step) : HOLE;
    yield { step, label: String(step), value };
  }
}

function* membersOf(set: ReadonlySet<unknown>): Generator<[unknown, unknown], undefined> {
  for (const member of Set.prototype.values.call(set)) yield [undefined, member];
}

function partOf(step: number, [key, value]: [unknown, unknown], isKeyed: boolean): Part {
  if (!isKeyed) return { step, label: String(step), value };
  if (isObject(key)) return { step, label: String(step), value: new Entry(key, value) };
  return { step, label: typeof key === "bigint" ? `${key}n` : String(key), value };
}

/** An object with more names is listed once: that takes long, and whoever describes it asks for many of its fields. */
const MANY_NAMES = 1_000;
/** By object. Values do not change after they have been read. */
const listed = new WeakMap<object, readonly string[]>();

function namesOf(value: object): readonly string[] {
  const known = listed.get(value);
  if (known !== undefined) return known;
  const names = listNames(value);
  if (names.length > MANY_NAMES) listed.set(value, names);
  return names;
}

/** The own properties that the value consists of. Those of errors are not enumerable. */
function listNames(value: object): readonly string[] {
  if (types.isNativeError(value)) return Object.getOwnPropertyNames(value);
  const names = Object.keys(value);
  if (isPlainObject(value) || !Object.hasOwn(value, "lc_serializable")) return names;
  return names.filter((name) => !OF_LANGCHAIN.has(name) && readOwn(value, name) !== undefined);
}

/** A part of a stored value, with the way to it. */
export interface Located {
  readonly value: unknown;
  readonly path: ValuePath;
}

/** Returns the first of some fields that is there. It runs no code of the value. */
export function fieldOf({ value, path }: Located, ...names: readonly string[]): Located | undefined {
  if (!isObject(value)) return undefined;
  for (const name of names) {
    const field = readOwn(value, name);
    const step = field === undefined || field === null ? undefined : stepTo(value, name);
    if (step !== undefined) return { value: field, path: [...path, step] };
  }
  return undefined;
}

/** Returns the text of a field; `undefined` where it is none. */
export function textAt(target: unknown, ...names: readonly string[]): string | undefined {
  if (!isObject(target)) return undefined;
  return names.map((name) => readOwn(target, name)).find((value) => typeof value === "string");
}
