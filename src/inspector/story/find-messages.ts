import type { FoundMessages, MessageKey, MessageSearch } from "../api/story.js";
import type { CallRun } from "../calls/call-definition.js";
import { readMessages } from "../checkpoints/read-conversation.js";
import { letOthersRun } from "../values/let-others-run.js";
import { readMessage } from "../values/read-message.js";
import { keysOf, textOfKey } from "./written-messages.js";

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
    for (const key of message === undefined ? [] : keysOf(message)) found.get(textOfKey(key))?.push(position);
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
