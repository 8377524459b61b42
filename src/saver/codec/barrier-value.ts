import { isArray } from "../../serde/objects/type-guards.js";
import { asPythonSet } from "../../serde/python/python-set.js";

/** The channels that an edge with several starts waits in, as both engines name them. */
const BARRIER_CHANNEL = /^join:.+:.+$/s;

/**
 * What a channel's value is written as. The names that a barrier has seen are an array in LangGraph.js and a set in
 * Python, whose engine adds to what it reads.
 */
export function toStoredBarrier(channel: string, value: unknown): unknown {
  if (!BARRIER_CHANNEL.test(channel) || !isArray(value)) return value;
  const [seen, finished] = value;
  if (isNames(value)) return asPythonSet(value);
  return isNames(seen) && isFinished(value, finished) ? [asPythonSet(seen), finished] : value;
}

/** What the value of a channel is for LangGraph.js, after it was read. */
export function fromStoredBarrier(channel: string, value: unknown): unknown {
  if (!BARRIER_CHANNEL.test(channel)) return value;
  if (value instanceof Set) return [...value];
  if (!isArray(value)) return value;
  const [seen, finished] = value;
  return seen instanceof Set && isFinished(value, finished) ? [[...seen], finished] : value;
}

function isNames(value: unknown): value is string[] {
  return isArray(value) && value.every((name) => typeof name === "string");
}

/** A barrier before a deferred node also knows whether all others are done. */
function isFinished(value: readonly unknown[], finished: unknown): boolean {
  return value.length === 2 && typeof finished === "boolean";
}
