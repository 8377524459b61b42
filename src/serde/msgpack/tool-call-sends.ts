import { readProperty } from "../objects/inspect-object.js";
import { isArray, isObject, isRecord } from "../objects/type-guards.js";

/** The key and the value by which the `ToolNode` of Python knows one call with its state. */
const TYPE = "__type";
const ONE_CALL = "tool_call_with_context";
/** The key under which an agent of LangChain.js sends one call to its tools, beside the state. */
const CALL = "lg_tool_call";

/** Says behind a Send that it is marked. Python ignores what is there. */
export const MARKED = ["marked"];

/**
 * Marks one of several calls that an agent of LangChain.js sends to its tools. Python's `ToolNode` doesn't know the key of the call, and
 * would run all calls of the message for each of them. By the mark it looks for the call under its own key, and fails before it runs one.
 *
 * @param args - what is sent
 * @param encoded - the same, encoded
 * @returns `undefined` for what needs no mark
 */
export function markedToolCall(args: unknown, encoded: unknown): object | undefined {
  if (!isRecord(args) || !Object.hasOwn(args, CALL) || Object.hasOwn(args, TYPE)) return undefined;
  if (callsIn(args.messages) < 2) return undefined;
  if (encoded instanceof Map) return new Map<unknown, unknown>([...encoded, [TYPE, ONE_CALL]]);
  return encoded === args ? { ...args, [TYPE]: ONE_CALL } : undefined;
}

/** Removes the mark of {@link markedToolCall} from the arguments of a Send. */
export function withoutMarkOfCall(parts: unknown): unknown {
  const args = isArray(parts) ? parts[1] : undefined;
  if (isRecord(args)) Reflect.deleteProperty(args, TYPE);
  return parts;
}

/** The number of calls in the last message that has a list of them, as each message of a model has: Python runs those. */
function callsIn(messages: unknown): number {
  if (!isArray(messages)) return 0;
  const lists: unknown[] = messages.map((each) =>
    isObject(each) ? readProperty(each, "tool_calls") : undefined,
  );
  return lists.findLast(isArray)?.length ?? 0;
}
