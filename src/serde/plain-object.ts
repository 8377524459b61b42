import { types } from "node:util";

/**
 * Whether an object is plain: a literal `{…}` of any realm, or an object without a prototype. This is the project's one
 * definition. A plain object can be stored as its own enumerable properties.
 *
 * `Math`, `JSON`, `Reflect`, `Atomics`, `Intl` and module namespaces are not plain: they have the prototype of a literal, but
 * a `Symbol.toStringTag` of their own. Neither is an `arguments` object. The three checks are those that V8 answers fast:
 * every object that is written passes here.
 */
export function isPlainObject(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value);
  const hasPlainPrototype =
    prototype === Object.prototype || prototype === null || isRootPrototype(Object(prototype) as object);
  return hasPlainPrototype && !Object.hasOwn(value, Symbol.toStringTag) && !types.isArgumentsObject(value);
}

/** Whether `prototype` is the `Object.prototype` of some realm. */
function isRootPrototype(prototype: object): boolean {
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, "isPrototypeOf");
}
