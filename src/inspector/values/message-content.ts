import { isArray, isObject } from "../../serde/objects/type-guards.js";
import type { ContentPart, MessageText } from "../api/checkpoints.js";
import type { ValuePath } from "../api/value-node.js";
import { describeValue } from "./describe-value.js";
import { fieldOf, type Located, textAt } from "./located.js";
import { readMedia } from "./read-media.js";
import { readReasoning, readReasoningBeside } from "./read-reasoning.js";
import type { ReadToolCall } from "./read-tool-calls.js";
import type { TextRoom } from "./text-room.js";

/** The most characters of a text. */
const MAX_TEXT = 8_000;
/** The most parts of one message. */
const MAX_PARTS = 50;

/** What is shown of a message's content. */
export interface Content {
  readonly parts: readonly ContentPart[];
  /** How many parts are left out. */
  readonly omitted: number;
}

interface ContentContext {
  readonly room: TextRoom;
  /** The calls that are shown by themselves. Some models repeat them in the content. */
  readonly calls: readonly ReadToolCall[];
}

/** Describes the content of a message in its order: texts, reasoning, media, and other values. */
export function describeContent(fields: Located, { room, calls }: ContentContext): Content {
  const content = fieldOf(fields, "content");
  const beside = readReasoningBeside(fields).map((text) => describeText("reasoning", text, room));
  if (content === undefined) return { parts: beside, omitted: 0 };
  if (!isArray(content.value)) return { parts: [...beside, ...describePart(content, room)], omitted: 0 };
  const repeated = { ids: new Set(calls.map(({ id }) => id)), names: new Set(calls.map(({ name }) => name)) };
  const shown = [...content.value.entries()].filter(([, part]: [number, unknown]) => !isCall(part, repeated));
  const parts = shown
    .slice(0, MAX_PARTS)
    .flatMap(([index, value]: [number, unknown]) =>
      describePart({ value, path: [...content.path, index] }, room),
    );
  const hasReasoning = parts.some(({ kind }) => kind === "reasoning");
  return {
    parts: hasReasoning ? parts : [...beside, ...parts],
    omitted: Math.max(0, shown.length - MAX_PARTS),
  };
}

/** Describes a text as far as there is room for it. */
export function describeText(
  kind: MessageText["kind"],
  { value, path }: Located,
  room: TextRoom,
): MessageText {
  const text = typeof value === "string" ? value : "";
  return { kind, path, ...room.cut(text, MAX_TEXT), size: text.length };
}

function describePart(part: Located, room: TextRoom): ContentPart[] {
  const text = textIn(part);
  if (text !== undefined) return text.value === "" ? [] : [describeText("text", text, room)];
  const reasoning = readReasoning(part);
  if (reasoning?.length === 0) return [emptyReasoning(part.path)];
  if (reasoning !== undefined) return reasoning.map((each) => describeText("reasoning", each, room));
  const media = readMedia(part);
  if (media !== undefined) {
    const { url } = media;
    return [url === undefined ? media : { ...media, url: room.cut(url, url.length).text }];
  }
  const type = textAt(part.value, "type") ?? "other";
  return [
    {
      kind: "other",
      type: room.cut(type, 100).text,
      path: part.path,
      value: room.cutNode(describeValue(part.value)),
    },
  ];
}

function textIn(part: Located): Located | undefined {
  if (typeof part.value === "string") return part;
  if (textAt(part.value, "type")?.endsWith("text") !== true) return undefined;
  const text = fieldOf(part, "text");
  return typeof text?.value === "string" ? text : undefined;
}

function emptyReasoning(path: ValuePath): MessageText {
  return { kind: "reasoning", path, text: "", isCut: false, size: 0 };
}

const CALL_TYPES = new Set([
  ...["tool_use", "tool_call", "function_call", "invalid_tool_call", "tool_call_chunk"],
  ...["functionCall", "toolUse"],
]);

function isCall(
  part: unknown,
  { ids, names }: { readonly ids: ReadonlySet<string | undefined>; readonly names: ReadonlySet<string> },
): boolean {
  if (!isObject(part) || !CALL_TYPES.has(textAt(part, "type") ?? "")) return false;
  const id = textAt(part, "call_id", "id");
  if (id !== undefined) return ids.has(id) || ids.has(textAt(part, "id"));
  // Gemini's calls have no ids.
  const called = fieldOf({ value: part, path: [] }, "functionCall", "toolUse")?.value;
  const name = textAt(called, "name");
  return name !== undefined && names.has(name);
}
