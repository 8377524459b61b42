import { isArray, isObject } from "../../serde/objects/inspect-object.js";
import type { ContentPart, MessageMedia, MessageText } from "../api/checkpoints.js";
import { valueNodeOf } from "./describe-value.js";
import { fieldOf, type Located, textAt } from "./value-parts.js";
import { readMedia } from "./read-media.js";
import { readOwn } from "./read-property.js";
import type { ReadToolCall } from "./read-tool-calls.js";
import type { TextRoom } from "./cut-text.js";

/** The most characters of a text. */
const MAX_TEXT = 8_000;
/** The most parts of one message. */
const MAX_PARTS = 50;

/** What is shown of a message's content. */
interface Content {
  readonly parts: readonly ContentPart[];
  /** How many parts are left out. */
  readonly omitted: number;
}

interface ContentContext {
  readonly room: TextRoom;
  /** The calls that are shown by themselves. Some models repeat them in the content. */
  readonly calls: readonly ReadToolCall[];
}

/** A part of a content: a text, media, or a value that is only known as such. */
export type ReadPart =
  | { readonly kind: MessageText["kind"]; readonly text: Located }
  | { readonly kind: "media"; readonly media: MessageMedia }
  | { readonly kind: "other"; readonly type: string; readonly part: Located };

/** Describes the content of a message in its order: texts, reasoning, media, and other values. */
export function describeContent(fields: Located, { room, calls }: ContentContext): Content {
  const parts = reasoningBeside(fields, calls).map((part) => describePart(part, room));
  let shown = 0;
  for (const part of partsOf(fields, calls)) {
    shown += 1;
    if (shown <= MAX_PARTS) parts.push(...readPart(part).map((each) => describePart(each, room)));
  }
  return { parts, omitted: Math.max(0, shown - MAX_PARTS) };
}

/**
 * Yields the content of a message in its order.
 *
 * @param calls - The calls that are shown by themselves. Some models repeat them in the content.
 */
export function* readContent(
  fields: Located,
  calls: readonly ReadToolCall[],
): Generator<ReadPart, undefined> {
  yield* reasoningBeside(fields, calls);
  for (const part of partsOf(fields, calls)) yield* readPart(part);
}

/** What a model has thought, where it stands beside a content without it. */
function reasoningBeside(fields: Located, calls: readonly ReadToolCall[]): readonly ReadPart[] {
  const beside = readReasoningBeside(fields);
  if (beside.length === 0) return [];
  for (const part of partsOf(fields, calls)) if (readReasoning(part) !== undefined) return [];
  return beside.map((text) => ({ kind: "reasoning", text }));
}

/** Yields the parts of a content, without the calls that are shown by themselves. */
function* partsOf(fields: Located, calls: readonly ReadToolCall[]): Generator<Located, undefined> {
  const content = fieldOf(fields, "content");
  if (content === undefined) return;
  if (!isArray(content.value)) {
    yield content;
    return;
  }
  const repeated = { ids: new Set(calls.map(({ id }) => id)), names: new Set(calls.map(({ name }) => name)) };
  for (const [index, value] of content.value.entries()) {
    if (!isCall(value, repeated)) yield { value, path: [...content.path, index] };
  }
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

function readPart(part: Located): ReadPart[] {
  const text = textIn(part);
  if (text !== undefined) return text.value === "" ? [] : [{ kind: "text", text }];
  const reasoning = readReasoning(part);
  // Its provider has encrypted it.
  if (reasoning?.length === 0) return [{ kind: "reasoning", text: { value: "", path: part.path } }];
  if (reasoning !== undefined) return reasoning.map((each) => ({ kind: "reasoning", text: each }));
  const media = readMedia(part);
  if (media !== undefined) return [{ kind: "media", media }];
  return [{ kind: "other", type: textAt(part.value, "type") ?? "other", part }];
}

function describePart(read: ReadPart, room: TextRoom): ContentPart {
  switch (read.kind) {
    case "text":
    case "reasoning":
      return describeText(read.kind, read.text, room);
    case "media": {
      const { url } = read.media;
      return url === undefined ? read.media : { ...read.media, url: room.cut(url, url.length).text };
    }
    case "other": {
      const { value, path } = read.part;
      const type = room.cut(read.type, 100).text;
      return { kind: "other", type, path, value: room.cutNode(valueNodeOf(value)) };
    }
  }
}

function textIn(part: Located): Located | undefined {
  if (typeof part.value === "string") return part;
  if (textAt(part.value, "type")?.endsWith("text") !== true) return undefined;
  const text = fieldOf(part, "text");
  return typeof text?.value === "string" ? text : undefined;
}

const CALL_TYPES = new Set([
  ...["tool_use", "tool_call", "function_call", "invalid_tool_call", "tool_call_chunk"],
  ...["functionCall", "toolUse"],
]);

function isCall(
  part: unknown,
  { ids, names }: { readonly ids: ReadonlySet<string | undefined>; readonly names: ReadonlySet<string> },
): boolean {
  const type = isObject(part) ? readOwn(part, "type") : undefined;
  if (typeof type !== "string" || !CALL_TYPES.has(type)) return false;
  const id = textAt(part, "call_id", "id");
  if (id !== undefined) return ids.has(id) || ids.has(textAt(part, "id"));
  // Gemini's calls have no ids.
  const called = fieldOf({ value: part, path: [] }, "functionCall", "toolUse")?.value;
  const name = textAt(called, "name");
  return name !== undefined && names.has(name);
}

/** The types of the parts in which models explain how they came to their answers. */
const TYPES = new Set(["thinking", "redacted_thinking", "reasoning", "reasoning_content"]);

/** The fields that the text may be in. */
const FIELDS = [
  ...["thinking", "reasoning", "reasoningText", "reasoning_text", "reasoning_content", "text"],
  ...["summary", "content"],
];

/**
 * Reads the reasoning in a part of a content: that of Anthropic, of OpenAI, of Bedrock, or LangChain's standard block.
 *
 * @returns The texts; none where the provider has encrypted them. `undefined` for a part that is no reasoning.
 */
function readReasoning(part: Located): readonly Located[] | undefined {
  return TYPES.has(textAt(part.value, "type") ?? "") ? textsOf(part) : undefined;
}

/** Reads the reasoning that DeepSeek and OpenAI have beside the content. */
function readReasoningBeside(fields: Located): readonly Located[] {
  const more = fieldOf(fields, "additional_kwargs");
  const found = more && fieldOf(more, "reasoning_content", "reasoning");
  return found === undefined ? [] : textsOf(found);
}

/** A summary has its texts in a list of objects. What is deeper is none. */
const MAX_DEPTH = 4;
const MAX_TEXTS = 50;

function textsOf(part: Located, depth = 0): readonly Located[] {
  const { value, path } = part;
  if (typeof value === "string") return value === "" ? [] : [part];
  if (depth === MAX_DEPTH) return [];
  if (isArray(value)) {
    const parts = value
      .slice(0, MAX_TEXTS)
      .map((each: unknown, index) => ({ value: each, path: [...path, index] }));
    return parts.flatMap((each) => textsOf(each, depth + 1));
  }
  for (const name of FIELDS) {
    const inside = fieldOf(part, name);
    const texts = inside === undefined ? [] : textsOf(inside, depth + 1);
    if (texts.length > 0) return texts;
  }
  return [];
}
