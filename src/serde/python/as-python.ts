import { LANGGRAPH_TYPES } from "../langchain/langgraph-classes.js";
import { EXT } from "../msgpack/ext-codes.js";
import { isArray, isRecord } from "../objects/inspect-object.js";
import { pythonOriginOf, rememberOrigin } from "./python-origin.js";

const ORIGIN = { code: EXT.PYTHON_KWARGS, module: LANGGRAPH_TYPES, name: "Interrupt" };
const FIELDS: ReadonlySet<string> = new Set(["id", "value", "response_schema"]);

/**
 * Marks the interrupts of a task, so that Python reads each as an `Interrupt`. Python's engine reads attributes, and
 * LangGraph.js writes literal objects. LangGraph.js before 1.7 writes a single interrupt, and from 1.7 on a list; Python accepts
 * both. JavaScript reads the same objects as before. Returns any other value unchanged.
 *
 * @example
 * ```ts
 * asPythonInterrupts([{ id: "0f…", value: "really?" }]); // the same, each with an origin of langgraph.types.Interrupt
 * ```
 */
export function asPythonInterrupts(value: unknown): unknown {
  if (isInterrupt(value)) return asPythonInterrupt(value);
  return isListOfInterrupts(value) ? value.map(asPythonInterrupt) : value;
}

function asPythonInterrupt(interrupt: Record<string, unknown>): Record<string, unknown> {
  return rememberOrigin({ ...interrupt }, ORIGIN);
}

// A copy of a list with a hole or a named property would differ from it, so such a list is left to the serializer.
function isListOfInterrupts(value: unknown): value is Record<string, unknown>[] {
  return isArray(value) && Reflect.ownKeys(value).length === value.length + 1 && value.every(isInterrupt);
}

function isInterrupt(value: unknown): value is Record<string, unknown> {
  if (!isRecord(value) || pythonOriginOf(value) !== undefined) return false;
  return Object.hasOwn(value, "value") && Object.keys(value).every((key) => FIELDS.has(key));
}

/** A copy of an array that Python reads as a `set`, and JavaScript as a Set. */
export function asPythonSet(items: readonly unknown[]): unknown[] {
  return rememberOrigin([...items], { code: EXT.PYTHON_SINGLE_ARG, module: "builtins", name: "set" });
}
