import { isArray, isObject, isRecord } from "../../serde/objects/inspect-object.js";
import type { MessageView } from "../api/checkpoints.js";
import { readOwn } from "./read-property.js";
import { stepTo } from "./value-parts.js";
import { shownClassOf } from "./value-type.js";

/** A message of LangChain, of Python, or a plain object with a role. */
export interface ReadMessage {
  readonly role: MessageView["role"];
  /** The class or the type. */
  readonly type: string;
  /** The object that has the fields of the message. */
  readonly fields: object;
  /** The way to that object from the message. */
  readonly path: readonly number[];
}

const ROLES: ReadonlyMap<string, MessageView["role"]> = new Map([
  ["human", "human"],
  ["user", "human"],
  ["ai", "ai"],
  ["assistant", "ai"],
  ["model", "ai"],
  ["system", "system"],
  ["developer", "system"],
  ["tool", "tool"],
  ["function", "tool"],
  ["remove", "remove"],
]);

/** The classes of LangChain's messages, such as `HumanMessage` and `AIMessageChunk`. */
const CLASS_NAME = /^(?<role>.*)Message(?:Chunk)?$/s;

/** Reads what a message is from its class, its type or its role. Returns `undefined` for something else. */
export function readMessage(value: unknown): ReadMessage | undefined {
  if (!isObject(value) || isArray(value)) return undefined;
  const className = shownClassOf(value);
  const kwargs = isRecord(value) && className !== undefined ? readOwn(value, "kwargs") : undefined;
  // A record of LangChain that was not revived.
  const step = isRecord(kwargs) ? stepTo(value, "kwargs") : undefined;
  if (isRecord(kwargs) && step !== undefined) return readFields(kwargs, className, [step]);
  return readFields(value, className, []);
}

function readFields(
  fields: object,
  className: string | undefined,
  path: readonly number[],
): ReadMessage | undefined {
  const name = className?.split(".").at(-1);
  const ofClass = CLASS_NAME.exec(name ?? "")?.groups?.role;
  const [ownRole, type] = [readOwn(fields, "role"), readOwn(fields, "type")];
  const role = [ownRole, type, ofClass].map(roleOf).find((found) => found !== undefined);
  if (ofClass === undefined) {
    // A part of a content such as `{ type: "text", content: "…" }` is no message.
    const isNamed = typeof ownRole === "string" || (typeof type === "string" && role !== undefined);
    const hasContent = Object.hasOwn(fields, "content") || Object.hasOwn(fields, "tool_calls");
    if (!isNamed || !hasContent) return undefined;
  }
  const given = name ?? ownRole ?? type;
  return { role: role ?? "other", type: typeof given === "string" ? given : "", fields, path };
}

function roleOf(name: unknown): MessageView["role"] | undefined {
  return typeof name === "string" ? ROLES.get(name.toLowerCase()) : undefined;
}

/** Whether a value is a list of messages. An empty list is none. */
export function isConversation(value: unknown): value is unknown[] {
  return isArray(value) && value.length > 0 && value.slice(0, 20).every(isMessageLike);
}

function isMessageLike(value: unknown): boolean {
  return readMessage(value) !== undefined;
}
