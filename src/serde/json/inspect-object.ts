import { types } from "node:util";

/** Reads a property as a value of unknown type; a getter is called. */
export function readProperty(target: object, key: PropertyKey): unknown {
  const value: unknown = Reflect.get(target, key);
  return value;
}

/** The own enumerable properties with string keys, in order. */
export function ownEntries(target: object): [string, unknown][] {
  return Object.keys(target).map((key) => [key, readProperty(target, key)]);
}

/** How many prototypes an object has: 1 for a plain one, 2 for an instance of a class that extends nothing. */
export function prototypeDepth(target: object): number {
  let depth = 0;
  for (let proto = prototypeOf(target); proto !== null; proto = prototypeOf(proto)) depth += 1;
  return depth;
}

/** The prototype of an object. */
export function prototypeOf(target: object): object | null {
  return Reflect.getPrototypeOf(target);
}

/** The name of the class that an object is an instance of. */
export function classNameOf(target: object): string {
  const proto = prototypeOf(target);
  const constructor = proto === null ? undefined : readProperty(proto, "constructor");
  return typeof constructor === "function" && constructor.name !== "" ? constructor.name : "(anonymous)";
}

/** Names an object that can't be stored, for an error: its class, or what makes it no plain object. */
export function describeUnstorable(target: object): string {
  if (types.isArgumentsObject(target)) return "the arguments of a function";
  if (Object.hasOwn(target, Symbol.toStringTag)) return Object.prototype.toString.call(target);
  return `an instance of ${classNameOf(target)}`;
}

/**
 * Whether an object is an instance of the built-in class `name` and not of a class that extends it. Goes by name and
 * by the length of the prototype chain, since the built-ins of another realm (a `vm` context, a test runner) are as good.
 */
export function isExactly(target: object, name: string, depth: number): boolean {
  return classNameOf(target) === name && prototypeDepth(target) === depth;
}

/** The own enumerable symbol keys: state that no format can hold. */
export function ownSymbols(target: object): symbol[] {
  const symbols = Object.getOwnPropertySymbols(target);
  // Nearly every object has none.
  return symbols.length === 0
    ? symbols
    : symbols.filter((key) => Object.prototype.propertyIsEnumerable.call(target, key));
}

/** Sets an own property, whatever its name is: assigning `__proto__` would change the prototype instead. */
export function defineOwn(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}
