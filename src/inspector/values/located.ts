import { isObject } from "../../serde/objects/type-guards.js";
import type { ValuePath } from "../api/value-node.js";
import { readOwn } from "./read-property.js";
import { stepTo } from "./value-parts.js";

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
