import { types } from "node:util";
import { CheckpointError, type ErrorLocation, SerializationError } from "../../errors/index.js";

/** Reads a property as a value of unknown type, and calls it if it is a getter. */
export function readProperty(target: object, key: PropertyKey): unknown {
  const value: unknown = Reflect.get(target, key);
  return value;
}

/** Sets an own property of any name. Assigning `__proto__` would replace the prototype instead. */
export function defineOwn(target: object, key: PropertyKey, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

/** The own enumerable properties with string keys, in order. */
export function ownEntries(target: object): [string, unknown][] {
  const entries: [string, unknown][] = [];
  for (const key of Object.keys(target)) entries.push([key, readProperty(target, key)]);
  return entries;
}

/**
 * The own enumerable symbol keys that mean something. No format can store their values. A symbol whose value is `true` only brands the
 * object, as LangChain brands its messages: a copy by spreading has the brand too. It is left out.
 */
export function ownSymbols(target: object): symbol[] {
  const symbols = Object.getOwnPropertySymbols(target);
  // Nearly every object has none, and a message has its brand.
  return symbols.length === 0
    ? symbols
    : symbols.filter((symbol) => isEnumerable(target, symbol) && readProperty(target, symbol) !== true);
}

/** The first of {@link ownSymbols} other than `known`, as text. */
export function extraSymbol(target: object, known?: symbol): string | undefined {
  return ownSymbols(target)
    .find((symbol) => symbol !== known)
    ?.toString();
}

/** The first own enumerable property, as text. Writing only the content of `target` would lose it. */
export function extraProperty(target: object): string | undefined {
  return Object.keys(target)[0] ?? extraSymbol(target);
}

/** Whether an own property is enumerable. */
export function isEnumerable(target: object, key: PropertyKey): boolean {
  return Object.prototype.propertyIsEnumerable.call(target, key);
}

/** The prototype of an object. */
export function prototypeOf(target: object): object | null {
  return Reflect.getPrototypeOf(target);
}

/**
 * The length of an object's prototype chain: 1 for a literal, 2 for an instance of a class that extends nothing, such as Map,
 * and more for an instance of a subclass. Unlike a comparison with `Map.prototype`, it works for objects of other realms.
 */
export function prototypeDepth(target: object): number {
  let depth = 0;
  for (let proto = prototypeOf(target); proto !== null; proto = prototypeOf(proto)) depth += 1;
  return depth;
}

/** The name of the class that an object is an instance of. */
export function constructorNameOf(target: object): string {
  const proto = prototypeOf(target);
  const constructor = proto === null ? undefined : readProperty(proto, "constructor");
  return typeof constructor === "function" && constructor.name !== "" ? constructor.name : "(anonymous)";
}

/**
 * Whether an object is an instance of the built-in class `name`, and not of a subclass. It compares the class's name and the
 * length of the prototype chain, so that it accepts the built-in classes of another realm, such as a `vm` context.
 */
export function isExactly(target: object, name: string, depth: number): boolean {
  return constructorNameOf(target) === name && prototypeDepth(target) === depth;
}

/** Whether the value is an object, not null. */
export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Whether the value is an array. Unlike `Array.isArray` it narrows to `unknown[]`, not `any[]`. */
export function isArray(value: unknown): value is unknown[] {
  return Array.isArray(value);
}

/** Whether the value is a plain object, whose properties may be read by name. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !Array.isArray(value) && isPlainObject(value);
}

/**
 * Whether an object is plain: a literal `{…}` of any realm, or an object without a prototype. This is the project's only
 * definition. A plain object is stored as its own enumerable properties.
 *
 * `Math`, `JSON`, `Reflect`, `Atomics`, `Intl` and module namespaces are not plain. They have the prototype of a literal, or none,
 * but a `Symbol.toStringTag` of their own. An `arguments` object is not plain either. Every object that is encoded passes this
 * function, so it only uses checks that V8 answers fast.
 */
export function isPlainObject(value: object): value is Record<string, unknown> {
  // V8 answers Object.getPrototypeOf faster than Reflect.getPrototypeOf.
  const prototype = Object.getPrototypeOf(value) as object | null;
  const hasPlainPrototype =
    prototype === Object.prototype || prototype === null || isRootPrototype(prototype);
  return hasPlainPrototype && !Object.hasOwn(value, Symbol.toStringTag) && !types.isArgumentsObject(value);
}

/** Whether `prototype` is the `Object.prototype` of some realm. */
function isRootPrototype(prototype: object): boolean {
  return Reflect.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, "isPrototypeOf");
}

/**
 * Reads a value of the caller. Its getters and Proxies may throw anything.
 *
 * @throws SerializationError with the thrown value as its cause. A `CheckpointError` is thrown as it is.
 */
export function guardRead<T>(read: () => T, location: ErrorLocation, path = ""): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof CheckpointError) throw error;
    throw new SerializationError(path, "the value could not be read", { ...location, cause: error });
  }
}
