import { isArray, isObject } from "../../serde/objects/type-guards.js";
import type { ContentPart, Conversation, MessageView, ToolCallView } from "../api/checkpoints.js";
import type { ValuePath } from "../api/value-node.js";
import { describeValue } from "./describe-value.js";
import { briefJson } from "./readable-json.js";
import { type ReadMessage, readMessage } from "./read-message.js";
import { readOwn } from "./read-property.js";
import { type ReadToolCall, readToolCalls } from "./read-tool-calls.js";
import { TextRoom } from "./text-room.js";
import { stepTo } from "./value-parts.js";

/** The most characters of a message's text. */
const MAX_CONTENT = 8_000;
/** The most characters of a call's arguments. */
const MAX_ARGS = 2_000;
/** The most parts and calls of one message. */
const MAX_PARTS = 50;

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
  const answers = answersIn(messages);
  const views = messages.slice(offset, offset + limit).map((message, index) =>
    describeMessage(message, [...path, offset + index], {
      room,
      answerTo: (id) => answers.get(id)?.find((position) => position > offset + index),
    }),
  );
  return { total: messages.length, offset, messages: views };
}

interface Surroundings {
  readonly room: TextRoom;
  /** Returns the position of the message that answers a call. */
  readonly answerTo: (callId: string) => number | undefined;
}

/** By call: the positions of the tool messages that answer it. */
function answersIn(messages: readonly unknown[]): ReadonlyMap<string, number[]> {
  const answers = new Map<string, number[]>();
  for (const [position, message] of messages.entries()) {
    const read = readMessage(message);
    const id = read === undefined ? undefined : textAt(read.fields, "tool_call_id");
    if (id === undefined) continue;
    const known = answers.get(id);
    if (known === undefined) answers.set(id, [position]);
    else known.push(position);
  }
  return answers;
}

function describeMessage(value: unknown, path: ValuePath, surroundings: Surroundings): MessageView {
  const { room } = surroundings;
  const message = readMessage(value);
  if (message === undefined) {
    const described = describeValue(value);
    const { text, isCut } = room.cut(described.text, MAX_CONTENT);
    const type = described.className ?? described.type;
    return { path, role: "other", type, text, isCut: isCut || described.isCut, parts: [], toolCalls: [] };
  }
  const { fields, role, type } = message;
  const calls = readToolCalls(fields);
  const content = contentOf(message, path, { room, callIds: new Set(calls.map(({ id }) => id)) });
  const [id, name] = [textAt(fields, "id"), textAt(fields, "name")];
  const [toolCallId, status] = [textAt(fields, "tool_call_id"), textAt(fields, "status")];
  return {
    ...{ path, role, type },
    ...(id !== undefined && { id }),
    ...(name !== undefined && { name }),
    ...room.cut(content.text, MAX_CONTENT),
    parts: content.parts,
    toolCalls: calls.slice(0, MAX_PARTS).map((call) => describeCall(call, surroundings)),
    ...(toolCallId !== undefined && { toolCallId }),
    ...(status !== undefined && { status }),
  };
}

interface Content {
  readonly text: string;
  readonly parts: readonly ContentPart[];
}

interface ContentContext {
  readonly room: TextRoom;
  /** The calls that are shown by themselves. Some models repeat them in the content. */
  readonly callIds: ReadonlySet<string | undefined>;
}

function contentOf(
  { fields, path }: ReadMessage,
  ofMessage: ValuePath,
  { room, callIds }: ContentContext,
): Content {
  const content = readOwn(fields, "content");
  const step = stepTo(fields, "content");
  if (typeof content === "string") return { text: content, parts: [] };
  if (step === undefined || content === null || content === undefined) return { text: "", parts: [] };
  const ofContent = [...ofMessage, ...path, step];
  if (!isArray(content)) return { text: "", parts: [partOf(content, ofContent, room)] };
  const texts = content.map(textOfPart);
  const others = [...content.entries()].filter(
    ([index, part]) => texts[index] === undefined && !isCall(part, callIds),
  );
  return {
    text: texts.filter((text) => text !== undefined).join("\n"),
    parts: others
      .slice(0, MAX_PARTS)
      .map(([index, part]: [number, unknown]) => partOf(part, [...ofContent, index], room)),
  };
}

function textOfPart(part: unknown): string | undefined {
  if (typeof part === "string") return part;
  if (!isObject(part)) return undefined;
  const [type, text] = [textAt(part, "type"), textAt(part, "text")];
  return type === undefined || !type.endsWith("text") ? undefined : text;
}

function isCall(part: unknown, callIds: ReadonlySet<string | undefined>): boolean {
  if (!isObject(part)) return false;
  const [type, id] = [textAt(part, "type"), textAt(part, "id") ?? textAt(part, "call_id")];
  const isCallType = type === "tool_use" || type === "tool_call" || type === "function_call";
  return isCallType && id !== undefined && callIds.has(id);
}

function partOf(value: unknown, path: ValuePath, room: TextRoom): ContentPart {
  const type = isObject(value) ? textAt(value, "type") : undefined;
  return { type: type ?? "other", path, value: room.cutNode(describeValue(value)) };
}

function describeCall({ id, name, args }: ReadToolCall, { room, answerTo }: Surroundings): ToolCallView {
  const { text, isCut } = room.cut(typeof args === "string" ? args : briefJson(args, MAX_ARGS), MAX_ARGS);
  const answeredBy = id === undefined ? undefined : answerTo(id);
  return {
    ...(id !== undefined && { id }),
    ...{ name, args: text, isCut },
    ...(answeredBy !== undefined && { answeredBy }),
  };
}

function textAt(target: object, name: string): string | undefined {
  const value = readOwn(target, name);
  return typeof value === "string" ? value : undefined;
}
