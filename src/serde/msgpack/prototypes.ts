import { isPlainObject } from "../plain-object.js";

/** Whether the value is an object, not null. */
export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Whether the value is an array, of whatever. */
export function isArray(value: unknown): value is unknown[] {
  return Array.isArray(value);
}

/** Whether the value is a literal object that may be asked for properties by name. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !Array.isArray(value) && isPlainObject(value);
}

/**
 * How many prototypes lie between the object and `null`: 1 for a literal, 2 for an instance of a built-in class such as
 * Map, more for an instance of a subclass. Unlike a comparison with `Map.prototype` it holds in every realm.
 */
export function prototypeDepth(value: object): number {
  let depth = 0;
  let current: unknown = Object.getPrototypeOf(value);
  while (isObject(current)) {
    depth += 1;
    current = Object.getPrototypeOf(current);
  }
  return depth;
}

/** The first own property that a reader of `value` would lose, were only its content written. */
export function extraProperty(value: object): string | undefined {
  const name = Object.keys(value)[0];
  return name ?? extraSymbol(value);
}

/** The first own enumerable symbol of `value`, other than `known`. */
export function extraSymbol(value: object, known?: symbol): string | undefined {
  const symbols = Object.getOwnPropertySymbols(value);
  // As it is for every message.
  if (symbols.length === 1 && symbols[0] === known) return undefined;
  return symbols
    .find((symbol) => symbol !== known && Object.prototype.propertyIsEnumerable.call(value, symbol))
    ?.toString();
}
