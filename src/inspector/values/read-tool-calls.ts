import { isArray, isObject } from "../../serde/objects/type-guards.js";
import { readOwn } from "./read-property.js";

/** A call of a tool in a message. */
export interface ReadToolCall {
  readonly id: string | undefined;
  readonly name: string;
  /** An object, or the text of a call that could not be parsed. */
  readonly args: unknown;
}

/** Reads the calls of tools in a message: LangChain's, those that LangChain could not parse, or those of the OpenAI API. */
export function readToolCalls(fields: object): ReadToolCall[] {
  const own = [readOwn(fields, "tool_calls"), readOwn(fields, "invalid_tool_calls")].flatMap(callsOf);
  if (own.length > 0) return own;
  const more = readOwn(fields, "additional_kwargs");
  return isObject(more) ? callsOf(readOwn(more, "tool_calls")) : [];
}

function callsOf(calls: unknown): ReadToolCall[] {
  if (!isArray(calls)) return [];
  return calls.filter(isObject).map((call) => {
    const described = readOwn(call, "function");
    const from = isObject(described) ? described : call;
    const [id, name] = [readOwn(call, "id"), readOwn(from, "name")];
    return {
      id: typeof id === "string" ? id : undefined,
      name: typeof name === "string" ? name : "",
      args: readOwn(from, "args") ?? readOwn(from, "arguments") ?? {},
    };
  });
}
