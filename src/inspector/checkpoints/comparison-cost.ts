import { types } from "node:util";
import { isArray, isObject } from "../../serde/objects/type-guards.js";
import { readOwn } from "../values/read-property.js";
import { countParts, eachPart } from "../values/value-parts.js";

/** Counting more parts would take longer than it is worth. */
const MAX_PARTS = 100_000;
/** Items of a list without ids are told apart by their texts. */
const OF_TEXT = 50;
/** Two lists are compared item by item up to this many pairs, each of which costs a tenth. */
const MAX_PAIRS = 250_000;
const OF_PAIR = 0.1;

/**
 * Estimates what it takes to compare values part by part. A part is compared again for each of the values around it, and each list within
 * the items of a list has its own pairs, so small values may take minutes. Values of very many parts cost infinitely much.
 */
export function comparisonCost(values: readonly unknown[]): number {
  const waiting = values.map((part) => ({ part, ofEach: 1 }));
  let [cost, parts] = [0, waiting.length];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { part, ofEach } = next;
    cost += ofEach;
    if (!isObject(part)) continue;
    parts += countParts(part);
    if (parts > MAX_PARTS) return Infinity;
    if (isArray(part)) cost += Math.min(part.length ** 2, MAX_PAIRS) * OF_PAIR;
    else cost += ofEach * unnamedMembers(part) ** 2;
    for (const { value } of eachPart(part)) {
      const hasName = !isArray(part) || !isObject(value) || typeof readOwn(value, "id") === "string";
      waiting.push({ part: value, ofEach: ofEach + (hasName ? 1 : OF_TEXT) });
    }
  }
  return cost;
}

/** How many members of a Set, or keys of a Map, are objects: each is compared with all of the other value. */
function unnamedMembers(value: object): number {
  if (types.isSet(value)) return countObjects(Set.prototype.values.call(value));
  return types.isMap(value) ? countObjects(Map.prototype.keys.call(value)) : 0;
}

function countObjects(values: Iterable<unknown>): number {
  let count = 0;
  for (const value of values) if (isObject(value)) count += 1;
  return count;
}
