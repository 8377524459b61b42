import { LANGGRAPH_TYPES } from "./langchain/langgraph-literals.js";
import { EXT } from "./msgpack/ext-codes.js";
import { isArray, isRecord } from "./msgpack/prototypes.js";
import { pythonOriginOf, rememberOrigin } from "./python-origin.js";

const ORIGIN = { code: EXT.PYTHON_KWARGS, module: LANGGRAPH_TYPES, name: "Interrupt" };
const FIELDS: ReadonlySet<string> = new Set(["id", "value", "response_schema"]);

/**
 * The interrupts of a task, each of which Python reads as an `Interrupt`: its engine goes by attributes, and LangGraph.js
 * makes literal objects. Before 1.7 LangGraph.js writes one of them by itself, from 1.7 on the list of them; Python takes
 * both. For JavaScript nothing changes, and what is no interrupt stays as it is.
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

// A list that has a hole or a property is left to the serializer: a copy would be another list.
function isListOfInterrupts(value: unknown): value is Record<string, unknown>[] {
  return isArray(value) && Reflect.ownKeys(value).length === value.length + 1 && value.every(isInterrupt);
}

function isInterrupt(value: unknown): value is Record<string, unknown> {
  if (!isRecord(value) || pythonOriginOf(value) !== undefined) return false;
  return Object.hasOwn(value, "value") && Object.keys(value).every((key) => FIELDS.has(key));
}
