import type { BaseMessage } from "@langchain/core/messages";
import { isRecord } from "../../src/serde/objects/type-guards.js";

/** What Python's models fill in. */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  additional_kwargs: {},
  response_metadata: {},
  status: "success",
};

/** What each class of messages has beside {@link COMMON}. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  ai: ["tool_calls", "invalid_tool_calls", "usage_metadata"],
  tool: ["tool_call_id", "artifact", "status"],
};
const COMMON = ["type", "content", "additional_kwargs", "response_metadata", "name", "id"];

/** The fields of a message as Python dumps them, for a comparison of what both languages see. */
export function messageFields(message: BaseMessage | Record<string, unknown>): Record<string, unknown> {
  const type = String(message.type);
  const fields = [...COMMON, ...(OWN[type] ?? [])].map((name) => {
    const value: unknown = Reflect.get(message, name) ?? DEFAULTS[name] ?? null;
    return [name, name === "tool_calls" ? withTypes(value) : value] as const;
  });
  return Object.fromEntries(fields);
}

/** JavaScript may leave the type of a tool call out. */
function withTypes(calls: unknown): unknown {
  return Array.isArray(calls)
    ? calls.map((call: unknown) => (isRecord(call) ? { ...call, type: "tool_call" } : call))
    : calls;
}
