import { isObject } from "../../serde/objects/inspect-object.js";
import type { Conversation, MessageView, TokenUsage, ToolCallView } from "../api/checkpoints.js";
import type { ValuePath } from "../api/value-node.js";
import { cutLabel, valueNodeOf } from "./describe-value.js";
import { fieldOf, type Located, textAt } from "./value-parts.js";
import { describeContent, describeText } from "./message-content.js";
import {
  type PairedCalls,
  pairCalls,
  callIdsOf,
  type ReadToolCall,
  readToolCalls,
} from "./read-tool-calls.js";
import { briefJson } from "./readable-json.js";
import { type ReadMessage, readMessage } from "./read-message.js";
import { readOwn } from "./read-property.js";
import { TextRoom } from "./cut-text.js";

/** The most characters of a call's arguments, and of why it could not be parsed. */
const MAX_ARGS = 2_000;
/** The most calls of one message. */
const MAX_CALLS = 50;
/** How many of them are known again in the content. */
export const MAX_KNOWN_CALLS = 1_000;

/** Which messages to show. */
export interface MessagePage {
  readonly offset: number;
  readonly limit: number;
  /** The way to the list of messages in the value of the channel. */
  readonly path: ValuePath;
}

/** Describes a page of a conversation. */
export function describeConversation(
  messages: readonly unknown[],
  { offset, limit, path }: MessagePage,
): Conversation {
  const room = new TextRoom();
  const pairs = pairCalls(messages, MAX_CALLS);
  const views = messages
    .slice(offset, offset + limit)
    .map((value, index) =>
      describeMessage({ value, path: [...path, offset + index] }, { room, pairs, position: offset + index }),
    );
  return { total: messages.length, offset, messages: views };
}

interface Surroundings {
  readonly room: TextRoom;
  readonly pairs: PairedCalls;
  readonly position: number;
}

function describeMessage(located: Located, surroundings: Surroundings): MessageView {
  const { value, path } = located;
  const message = readMessage(value);
  if (message === undefined) return describeOther(located, surroundings);
  const { room, pairs, position } = surroundings;
  const { role, type } = message;
  const fields = fieldsOfMessage(message, path);
  const calls = readToolCalls(fields, MAX_KNOWN_CALLS);
  const { parts, omitted } = describeContent(fields, { room, calls });
  const omittedCalls = Math.max(0, callIdsOf(message.fields).length - MAX_CALLS);
  const shownAt = role === "tool" ? pairs.shownAt(position) : undefined;
  return {
    ...{ path, role, type: cutLabel(type) },
    ...textsAt(fields.value, { id: "id", name: "name", toolCallId: "tool_call_id", status: "status" }),
    ...{
      content: parts,
      toolCalls: calls.slice(0, MAX_CALLS).map((call) => describeCall(call, surroundings)),
    },
    ...(omitted + omittedCalls > 0 && { omitted: omitted + omittedCalls }),
    ...(shownAt !== undefined && { shownAt }),
    ...describeModel(fields),
  };
}

/** Describes a value that is no message. */
function describeOther({ value, path }: Located, { room }: Surroundings): MessageView {
  if (typeof value === "string") {
    const text = describeText("text", { value, path }, room);
    return { path, role: "other", type: "string", content: [text], toolCalls: [] };
  }
  const node = room.cutNode(valueNodeOf(value));
  const type = node.className ?? node.type;
  return {
    ...{ path, role: "other", type: cutLabel(type), toolCalls: [] },
    content: [{ kind: "other", type: node.type, path, value: node }],
  };
}

/** Returns the fields of a message, which are inside `kwargs` where it was not revived. */
export function fieldsOfMessage({ fields, path }: ReadMessage, ofMessage: ValuePath): Located {
  return { value: fields, path: [...ofMessage, ...path] };
}

function describeCall(
  { id, name, args, error }: ReadToolCall,
  { room, pairs, position }: Surroundings,
): ToolCallView {
  const given = args?.value ?? {};
  const { text, isCut } = room.cut(typeof given === "string" ? given : briefJson(given, MAX_ARGS), MAX_ARGS);
  const answeredBy = id === undefined ? undefined : pairs.answerTo(id, position);
  return {
    ...(id !== undefined && { id: cutLabel(id) }),
    ...{ name: cutLabel(name), args: text, isCut },
    ...(args !== undefined && { path: args.path }),
    ...(error !== undefined && { error: room.cut(error, MAX_ARGS).text }),
    ...(answeredBy !== undefined && { answeredBy }),
  };
}

/** Returns which model wrote a message, and what it took, where LangChain says so. */
function describeModel(fields: Located): Pick<MessageView, "model" | "usage"> {
  const model = textAt(fieldOf(fields, "response_metadata")?.value, "model_name", "model", "model_id");
  const usage = fieldOf(fields, "usage_metadata")?.value;
  return {
    ...(model !== undefined && { model: cutLabel(model) }),
    ...(isObject(usage) && { usage: usageOf(usage) }),
  };
}

function usageOf(usage: object): TokenUsage {
  const [ofInput, ofOutput] = [readOwn(usage, "input_token_details"), readOwn(usage, "output_token_details")];
  const counts = [
    ["input", countAt(usage, "input_tokens")],
    ["output", countAt(usage, "output_tokens")],
    ["cacheRead", countAt(ofInput, "cache_read")],
    ["cacheWritten", countAt(ofInput, "cache_creation")],
    ["reasoning", countAt(ofOutput, "reasoning")],
  ] as const;
  return Object.fromEntries(counts.filter(([, count]) => count !== undefined));
}

function countAt(target: unknown, name: string): number | undefined {
  const count = isObject(target) ? readOwn(target, name) : undefined;
  return typeof count === "number" && Number.isFinite(count) ? count : undefined;
}

function textsAt<Name extends string>(
  target: unknown,
  names: Readonly<Record<Name, string>>,
): Partial<Record<Name, string>> {
  const texts: Partial<Record<Name, string>> = {};
  for (const name in names) {
    const text = textAt(target, names[name]);
    if (text !== undefined) texts[name] = cutLabel(text);
  }
  return texts;
}
