import { defineOwn } from "../objects/inspect-object.js";
import { isArray } from "../objects/type-guards.js";

/** Decodes an array that has properties. Returns `undefined` where a name is none. */
export function decodeNamedList(argument: unknown, properties: readonly unknown[]): unknown[] | undefined {
  if (!isArray(argument) || properties.length % 2 !== 0) return undefined;
  const list = [...argument];
  for (let at = 0; at < properties.length; at += 2) {
    const name = properties[at];
    if (typeof name !== "string" || Object.hasOwn(list, name) || isIndex(name)) return undefined;
    defineOwn(list, name, properties[at + 1]);
  }
  return list;
}

function isIndex(name: string): boolean {
  return String(Number(name) >>> 0) === name;
}
