import { types } from "node:util";

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
