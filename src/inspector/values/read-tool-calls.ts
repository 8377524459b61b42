import { isArray, isObject } from "../../serde/objects/type-guards.js";
import { readOwn } from "./read-property.js";
import { fieldOf, type Located, textAt } from "./located.js";

/** A call of a tool in a message. */
export interface ReadToolCall {
  readonly id: string | undefined;
  readonly name: string;
  /** An object, or the text of a call that could not be parsed. */
  readonly args: Located | undefined;
  /** Why LangChain could not parse the call. */
  readonly error: string | undefined;
}

/** Reads the first calls of tools in a message. */
export function readToolCalls(fields: Located, max: number): ReadToolCall[] {
  const calls: ReadToolCall[] = [];
  for (const call of eachToolCall(fields)) {
    if (calls.length === max) break;
    calls.push(call);
  }
  return calls;
}

/** Yields the calls of tools in a message: LangChain's, those that LangChain could not parse, or those of the OpenAI API. */
export function* eachToolCall(fields: Located): Generator<ReadToolCall, undefined> {
  let hasOwn = false;
  for (const name of ["tool_calls", "invalid_tool_calls"]) {
    for (const call of callsOf(fieldOf(fields, name))) {
      hasOwn = true;
      yield call;
    }
  }
  const more = hasOwn ? undefined : fieldOf(fields, "additional_kwargs");
  if (more !== undefined) yield* callsOf(fieldOf(more, "tool_calls"));
}

/** Returns the ids of the calls that {@link eachToolCall} yields, in a fraction of its time. */
export function callIdsOf(fields: object): (string | undefined)[] {
  const own = ["tool_calls", "invalid_tool_calls"].flatMap((name) => idsIn(readOwn(fields, name)));
  if (own.length > 0) return own;
  const more = readOwn(fields, "additional_kwargs");
  return isObject(more) ? idsIn(readOwn(more, "tool_calls")) : [];
}

function idsIn(calls: unknown): (string | undefined)[] {
  return isArray(calls) ? calls.filter(isObject).map((call) => textAt(call, "id")) : [];
}

function* callsOf(calls: Located | undefined): Generator<ReadToolCall, undefined> {
  if (calls === undefined || !isArray(calls.value)) return;
  for (const [index, value] of calls.value.entries()) {
    if (!isObject(value)) continue;
    const call = { value, path: [...calls.path, index] };
    const described = fieldOf(call, "function");
    const from = described !== undefined && isObject(described.value) ? described : call;
    yield {
      id: textAt(value, "id"),
      name: textAt(from.value, "name") ?? "",
      args: fieldOf(from, "args", "arguments"),
      error: textAt(value, "error"),
    };
  }
}
