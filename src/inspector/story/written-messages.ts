import { textAt } from "../values/value-parts.js";
import { overwriteValue } from "../../saver/codec/special-values.js";
import { isArray, isObject } from "../../serde/objects/inspect-object.js";
import type { MessageKey, StoryTool, FoundMessages, MessageSearch } from "../api/story.js";
import { isConversation, readMessage, type ReadMessage } from "../values/read-message.js";
import { readOwn } from "../values/read-property.js";
import { readToolCalls } from "../values/read-tool-calls.js";
import { cutText } from "../values/cut-text.js";
import type { CallRun } from "../calls/call-definition.js";
import { readMessages } from "../checkpoints/read-conversation.js";
import { letOthersRun } from "../values/let-others-run.js";

/** How much of a text tells messages apart. */
const MAX_KEY = 120;
const MAX_NAME = 100;

/** Tokens that a model has read and written. */
export interface Tokens {
  readonly input: number;
  readonly output: number;
}

/** Returns the messages in the value of a write: a list of them, or one. */
export function messagesIn(value: unknown): readonly ReadMessage[] {
  const overwrite = overwriteValue(value);
  const written = overwrite === undefined ? value : overwrite.value;
  const list = isConversation(written) ? written : [written];
  return list.flatMap((item) => readMessage(item) ?? []);
}

/** All keys that a message may have been given, the best first and its text last. The graph may have given it an id since. */
export function messageKeysOf({ role, fields }: ReadMessage): readonly [MessageKey, ...MessageKey[]] {
  const [id, toolCallId] = [textAt(fields, "id"), textAt(fields, "tool_call_id")];
  const byText = { role, text: cutText(textOfMessage(fields), MAX_KEY).text };
  const others = toolCallId === undefined ? ([byText] as const) : ([{ role, toolCallId }, byText] as const);
  return id === undefined ? others : [{ role, id }, ...others];
}

/** A key as a text, which is another one for another key. */
export function textOfKey({ role, id, toolCallId, text }: MessageKey): string {
  if (id !== undefined) return `${role} id ${id}`;
  return toolCallId === undefined ? `${role} text ${text ?? ""}` : `${role} call ${toolCallId}`;
}

/** The first calls of tools in a message, or the result of one. */
export function toolsIn({ role, fields }: ReadMessage, max: number): StoryTool[] {
  if (role === "tool") {
    const outcome = textAt(fields, "status") === "error" ? "failed" : "done";
    return [{ name: cutText(textAt(fields, "name") ?? "", MAX_NAME).text, outcome }];
  }
  const calls = readToolCalls({ value: fields, path: [] }, max);
  return calls.map(({ name }) => ({ name: cutText(name, MAX_NAME).text, outcome: "called" }));
}

/** The tokens of a message, if it tells. */
export function tokensIn({ fields }: ReadMessage): Tokens | undefined {
  const usage = readOwn(fields, "usage_metadata");
  if (!isObject(usage)) return undefined;
  const [input, output] = [countAt(usage, "input_tokens"), countAt(usage, "output_tokens")];
  return input === undefined && output === undefined ? undefined : { input: input ?? 0, output: output ?? 0 };
}

/** The text of a message, as much as tells it apart. */
export function textOfMessage(fields: object): string {
  const content = readOwn(fields, "content");
  if (typeof content === "string") return content;
  if (!isArray(content)) return "";
  for (const part of content) {
    const text = isObject(part) ? textAt(part, "text") : undefined;
    if (text !== undefined) return text;
  }
  return "";
}

function countAt(target: object, name: string): number | undefined {
  const value = readOwn(target, name);
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** How many messages a search looks at before other work may run. */
const STEP = 1_000;

/** Finds the messages of a step in a conversation. */
export async function findMessages(run: CallRun, search: MessageSearch): Promise<FoundMessages> {
  const { messages } = await readMessages(run, search);
  return { positions: await positionsOf(messages, search, run.signal) };
}

/** Returns where the messages of keys are. It looks at each message once, however many keys there are. */
export async function positionsOf(
  messages: readonly unknown[],
  { messages: keys, followedBy }: Pick<MessageSearch, "messages" | "followedBy">,
  signal: AbortSignal,
): Promise<readonly (number | null)[]> {
  const wanted = followedBy === undefined ? keys : [...keys, followedBy];
  /** By key, in order. */
  const found = new Map<string, number[]>(wanted.map((key) => [textOfKey(key), []]));
  for (const [position, value] of messages.entries()) {
    const message = readMessage(value);
    for (const key of message === undefined ? [] : messageKeysOf(message))
      found.get(textOfKey(key))?.push(position);
    if (position % STEP === 0) await letOthersRun(signal);
  }
  const lastWith = (key: MessageKey, end: number): number | undefined =>
    found.get(textOfKey(key))?.findLast((position) => position < end);
  const positions: (number | null)[] = [];
  // From the last one back, because each comes before the next.
  let before = (followedBy && lastWith(followedBy, messages.length)) ?? messages.length;
  for (const key of [...keys].reverse()) {
    const isExact = key.id !== undefined || key.toolCallId !== undefined;
    const position = lastWith(key, isExact ? messages.length : before);
    positions.push(position ?? null);
    if (position !== undefined && position < before) before = position;
  }
  return positions.reverse();
}
