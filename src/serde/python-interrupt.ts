import { EXT } from "./msgpack/ext-codes.js";
import { isRecord } from "./msgpack/prototypes.js";
import { pythonOriginOf, rememberOrigin } from "./python-origin.js";

const FIELDS: ReadonlySet<string> = new Set(["id", "value", "response_schema"]);

/**
 * An interrupt that Python reads as an `Interrupt`: its engine goes by attributes, and LangGraph.js makes literal objects.
 * For JavaScript nothing changes, and what is no interrupt stays as it is.
 *
 * @example
 * ```ts
 * asPythonInterrupt({ id: "0f…", value: "really?" }); // the same, with an origin of langgraph.types.Interrupt
 * ```
 */
export function asPythonInterrupt(value: unknown): unknown {
  if (!isRecord(value) || !isInterrupt(value)) return value;
  return rememberOrigin(
    { ...value },
    { code: EXT.PYTHON_KWARGS, module: "langgraph.types", name: "Interrupt" },
  );
}

function isInterrupt(value: Record<string, unknown>): boolean {
  const isNew = pythonOriginOf(value) === undefined;
  return isNew && Object.hasOwn(value, "value") && Object.keys(value).every((key) => FIELDS.has(key));
}
