import { defineOwn } from "../objects/inspect-object.js";
import { isArray, isRecord } from "../objects/type-guards.js";
import { type PythonOrigin, rememberOrigin } from "../python/python-origin.js";
import { isModelClassName, type ModelClassName } from "./classes.js";
import { JS_FIELD, NULLABLE_FIELDS } from "./message-fields.js";
import { reviveMessage } from "./revive-message.js";

type Fields = Readonly<Record<string, unknown>>;

/** What Python writes in the field `type` of each class. */
export const PYTHON_TYPES: Readonly<Record<Exclude<ModelClassName, "Document">, string>> = {
  AIMessage: "ai",
  AIMessageChunk: "AIMessageChunk",
  ChatMessage: "chat",
  ChatMessageChunk: "ChatMessageChunk",
  FunctionMessage: "function",
  FunctionMessageChunk: "FunctionMessageChunk",
  HumanMessage: "human",
  HumanMessageChunk: "HumanMessageChunk",
  RemoveMessage: "remove",
  SystemMessage: "system",
  SystemMessageChunk: "SystemMessageChunk",
  ToolMessage: "tool",
  ToolMessageChunk: "ToolMessageChunk",
};

/**
 * Creates a message from the fields of a model of Python that extends a class of LangChain. It keeps the name of its own class, and has
 * the fields of that as properties.
 *
 * @param base - the class that it extends, if this library wrote the fields
 * @returns `undefined` for a model that is no message
 */
export function reviveSubclass(fields: Fields, origin: PythonOrigin, base: unknown): object | undefined {
  const { type, [JS_FIELD]: _, ...own } = fields;
  const isOurs = typeof base === "string" && isModelClassName(base) && base !== "Document";
  const name = isOurs ? base : isOfPython(fields) ? classOfType(type) : undefined;
  if (name === undefined) return undefined;
  const { type: __, ...written } = fields;
  const message = reviveMessage(name, isOurs ? written : fields);
  for (const [key, value] of Object.entries(own)) {
    const isNone = value === null && NULLABLE_FIELDS.has(key);
    if (!Object.hasOwn(message, key) && !isNone) defineOwn(message, key, value);
  }
  return rememberOrigin(message, origin);
}

/** Whether fields are those that Python writes of every message. A model with other fields, or other values in them, is data. */
function isOfPython(fields: Fields): boolean {
  const { content, additional_kwargs, response_metadata, tool_calls = [] } = fields;
  const isContent = typeof content === "string" || isArray(content);
  const isNamed = Object.hasOwn(fields, "id") && Object.hasOwn(fields, "name");
  return (
    isContent && isNamed && isRecord(additional_kwargs) && isRecord(response_metadata) && isArray(tool_calls)
  );
}

function classOfType(type: unknown): ModelClassName | undefined {
  const [name] = Object.entries(PYTHON_TYPES).find(([, written]) => written === type) ?? [];
  return name !== undefined && isModelClassName(name) ? name : undefined;
}
