import { defineOwn } from "../objects/inspect-object.js";
import { isArrayIndex } from "../objects/sparse-array.js";
import { isArray } from "../objects/type-guards.js";

/** Decodes an array that has properties. Returns `undefined` where a name is none. */
export function decodeNamedList(argument: unknown, properties: readonly unknown[]): unknown[] | undefined {
  if (!isArray(argument) || properties.length % 2 !== 0) return undefined;
  const list = [...argument];
  for (let at = 0; at < properties.length; at += 2) {
    const name = properties[at];
    if (typeof name !== "string" || Object.hasOwn(list, name) || isArrayIndex(name)) return undefined;
    defineOwn(list, name, properties[at + 1]);
  }
  return list;
}
