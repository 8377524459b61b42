import type { BaseMessage } from "@langchain/core/messages";
import { isRecord } from "../../src/serde/objects/inspect-object.js";

/** The default values in Python's models. */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  additional_kwargs: {},
  response_metadata: {},
  status: "success",
};

/** The fields of each class of messages in addition to {@link COMMON}. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  ai: ["tool_calls", "invalid_tool_calls", "usage_metadata"],
  tool: ["tool_call_id", "artifact", "status"],
};
const COMMON = ["type", "content", "additional_kwargs", "response_metadata", "name", "id"];

/** The fields of a message as Python dumps them, to compare the messages that both languages read. */
export function messageFields(message: BaseMessage | Record<string, unknown>): Record<string, unknown> {
  const type = String(message.type);
  const fields = [...COMMON, ...(OWN[type] ?? [])].map((name) => {
    const value: unknown = Reflect.get(message, name) ?? DEFAULTS[name] ?? null;
    return [name, name === "tool_calls" ? withTypes(value) : value] as const;
  });
  return Object.fromEntries(fields);
}

/** Adds the type of tool calls, which JavaScript may leave out. */
function withTypes(calls: unknown): unknown {
  return Array.isArray(calls)
    ? calls.map((call: unknown) => (isRecord(call) ? { ...call, type: "tool_call" } : call))
    : calls;
}
