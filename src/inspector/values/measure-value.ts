import { types } from "node:util";
import { isObject } from "../../serde/objects/type-guards.js";
import { isBytes } from "./value-type.js";
import { walkValue } from "./walk-value.js";

/** What an object or a part of one takes apart from its content, about. */
const PART_BYTES = 48;

/** Counting more parts would take longer than it is worth. */
const MAX_PARTS = 20_000;

/**
 * Estimates the memory that a value takes, in bytes. A value of very many parts counts as half of `max` at least.
 *
 * @param max - Where to stop: a larger result only says that the value takes more than this.
 */
export function measureValue(value: unknown, max: number): number {
  let [bytes, parts] = [0, 0];
  for (const { value: part, label } of walkValue(value)) {
    bytes += PART_BYTES + label.length + contentBytes(part);
    if (bytes > max) break;
    if (++parts > MAX_PARTS) return Math.max(bytes, max / 2);
  }
  return bytes;
}

function contentBytes(value: unknown): number {
  if (typeof value === "string") return value.length * 2;
  if (typeof value === "bigint") return value.toString(16).length / 2;
  return isObject(value) && !types.isProxy(value) && isBytes(value) ? value.byteLength : 0;
}
