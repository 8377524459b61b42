import { isArray } from "../../serde/msgpack/prototypes.js";
import { asPythonSet } from "../../serde/python-set.js";

/** The names of the channels in which both engines wait for an edge with several starts. */
const BARRIER_CHANNEL = /^join:.+:.+$/s;

/**
 * Converts a channel's value to the form in which it is stored. The names that a barrier has seen are an array in
 * LangGraph.js. In Python they are a set, to which the engine adds.
 */
export function toStoredBarrier(channel: string, value: unknown): unknown {
  if (!BARRIER_CHANNEL.test(channel) || !isArray(value)) return value;
  const [seen, finished] = value;
  if (isNames(value)) return asPythonSet(value);
  return isNames(seen) && isFinished(value, finished) ? [asPythonSet(seen), finished] : value;
}

/** Converts a stored value to the form that LangGraph.js expects. */
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

/** The barrier before a deferred node also has a flag that says whether all other nodes are done. */
function isFinished(value: readonly unknown[], finished: unknown): boolean {
  return value.length === 2 && typeof finished === "boolean";
}
