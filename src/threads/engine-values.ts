import { INTERRUPT, TASKS } from "@langchain/langgraph-checkpoint";
import { langGraphLiteral } from "../serde/langchain/langgraph-literals.js";
import { isArray, isRecord } from "../serde/objects/type-guards.js";
import { asPythonInterrupts } from "../serde/python/python-interrupt.js";
import { toStoredBarrier } from "../saver/codec/barrier-value.js";

/**
 * What a value that another saver stored is written as, where an engine looks into it: Python's goes by classes, and the JSON
 * of the official JavaScript saver has literal objects for sends and interrupts, and lists for barriers.
 */
export function storedEngineValue(channel: string, value: unknown): unknown {
  if (channel === INTERRUPT) return asPythonInterrupts(value);
  if (channel === TASKS) return isArray(value) ? value.map(asPythonSend) : asPythonSend(value);
  return toStoredBarrier(channel, value);
}

/** The official saver writes the node of a send and what it is given, and not that it is one. */
function asPythonSend(value: unknown): unknown {
  if (!isRecord(value) || typeof value.node !== "string" || !Object.hasOwn(value, "args")) return value;
  return langGraphLiteral("Send", value);
}
