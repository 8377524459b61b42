import { INTERRUPT, TASKS } from "@langchain/langgraph-checkpoint";
import { langGraphLiteral } from "../serde/langchain/langgraph-literals.js";
import { isArray, isRecord } from "../serde/objects/type-guards.js";
import { asPythonInterrupts } from "../serde/python/python-interrupt.js";
import { toStoredBarrier } from "../saver/codec/barrier-value.js";

/**
 * Converts a value that another saver stored, so that Python's engine can read it from the channels that it interprets. Python
 * expects instances of classes, where the JSON of the official JavaScript saver has plain objects for sends and interrupts,
 * and lists for barriers.
 */
export function storedEngineValue(channel: string, value: unknown): unknown {
  if (channel === INTERRUPT) return asPythonInterrupts(value);
  if (channel === TASKS) return isArray(value) ? value.map(asPythonSend) : asPythonSend(value);
  return toStoredBarrier(channel, value);
}

/** The official saver writes a send as its node and arguments, without a mark of its class. */
function asPythonSend(value: unknown): unknown {
  if (!isRecord(value) || typeof value.node !== "string" || !Object.hasOwn(value, "args")) return value;
  return langGraphLiteral("Send", value);
}
