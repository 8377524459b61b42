import { types } from "node:util";
import { isArray, isObject } from "../../serde/objects/inspect-object.js";
import { readOwn } from "./read-property.js";
import { isBytes } from "./value-type.js";

/** What an object or a part of one takes apart from its content, about. */
const PART_BYTES = 48;

/** Counting more parts would take longer than it is worth. */
const MAX_PARTS = 20_000;

/** Where LangChain keeps the arguments of its objects, which are their fields. */
const REPEATED = "lc_kwargs";

/**
 * Estimates the memory that a value takes, in bytes. A value of very many parts counts as half of `max` at least. It runs no code of the
 * value. Whoever reads a value waits for this, so it makes nothing for a part but its place on a list.
 *
 * @param max - Where to stop: a larger result only says that the value takes more than this.
 */
export function measureValue(value: unknown, max: number): number {
  const waiting = [value];
  const seen = new Set<object>();
  let [bytes, parts] = [0, 0];
  while (waiting.length > 0) {
    const part = waiting.pop();
    bytes += PART_BYTES + contentBytes(part);
    if (bytes > max) break;
    if (++parts > MAX_PARTS) return Math.max(bytes, max / 2);
    if (!isObject(part) || types.isProxy(part) || isBytes(part) || seen.has(part)) continue;
    seen.add(part);
    bytes += addParts(part, waiting);
  }
  return bytes;
}

/** Adds the parts of an object, as far as they are counted, and returns what their names take. */
function addParts(value: object, waiting: unknown[]): number {
  if (isArray(value)) {
    // By descriptors, since an element may be an accessor.
    for (let index = Math.min(value.length, MAX_PARTS) - 1; index >= 0; index--)
      waiting.push(readOwn(value, index));
    return 0;
  }
  if (types.isMap(value)) return addAll(Map.prototype.entries.call(value), waiting);
  if (types.isSet(value)) return addAll(Set.prototype.values.call(value), waiting);
  let names = 0;
  for (const name of Object.keys(value)) {
    if (name === REPEATED) continue;
    names += name.length;
    waiting.push(readOwn(value, name));
  }
  return names;
}

function addAll(parts: Iterable<unknown>, waiting: unknown[]): number {
  for (const part of parts) {
    if (waiting.length > MAX_PARTS) break;
    waiting.push(part);
  }
  return 0;
}

function contentBytes(value: unknown): number {
  if (typeof value === "string") return value.length * 2;
  if (typeof value === "bigint") return value.toString(16).length / 2;
  return isObject(value) && !types.isProxy(value) && isBytes(value) ? value.byteLength : 0;
}
