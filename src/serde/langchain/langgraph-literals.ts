import { EXT } from "../msgpack/ext-codes.js";
import { pythonOriginOf, rememberOrigin } from "../python/python-origin.js";

/** Python's module of Send, Command and Overwrite. */
export const LANGGRAPH_TYPES = "langgraph.types";

const CODES = { Command: EXT.PYTHON_KWARGS, Overwrite: EXT.PYTHON_KWARGS, Send: EXT.PYTHON_ARGS } as const;

/**
 * A literal object that represents an object of @langchain/langgraph. The engine creates an instance of its own class from it,
 * so it works with every copy of the package. The serializers write it as that object.
 *
 * @param fields - the fields of the object, without its name
 */
export function langGraphLiteral(name: keyof typeof CODES, fields: object): object {
  const origin = { code: CODES[name], module: LANGGRAPH_TYPES, name };
  return rememberOrigin({ lg_name: name, ...fields }, origin);
}

/** Whether a literal object was made by {@link langGraphLiteral}. */
export function standsForLangGraph(value: object): boolean {
  const origin = pythonOriginOf(value);
  if (origin?.module !== LANGGRAPH_TYPES || !Object.hasOwn(CODES, origin.name)) return false;
  return Reflect.get(value, "lg_name") === origin.name;
}
