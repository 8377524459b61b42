import type { FoundMessages, MessageKey, MessageSearch } from "../api/story.js";
import type { CallRun } from "../calls/call-definition.js";
import { readMessages } from "../checkpoints/read-conversation.js";
import { type ReadMessage, readMessage } from "../values/read-message.js";
import { hasKey } from "./written-messages.js";

/** Finds the messages of a step in a conversation. */
export async function findMessages(
  run: CallRun,
  { messages: keys, followedBy, ...place }: MessageSearch,
): Promise<FoundMessages> {
  const { messages } = await readMessages(run, place);
  const read = messages.map(readMessage);
  const end = followedBy === undefined ? -1 : lastWith(read, followedBy, read.length);
  const positions: (number | null)[] = [];
  // From the last one back, because each comes before the next.
  let before = end === -1 ? read.length : end;
  for (const key of [...keys].reverse()) {
    const isExact = key.id !== undefined || key.toolCallId !== undefined;
    const found = lastWith(read, key, isExact ? read.length : before);
    positions.push(found === -1 ? null : found);
    if (found !== -1 && found < before) before = found;
  }
  return { positions: positions.reverse() };
}

function lastWith(messages: readonly (ReadMessage | undefined)[], key: MessageKey, end: number): number {
  for (let position = end - 1; position >= 0; position--) {
    const message = messages[position];
    if (message !== undefined && hasKey(message, key)) return position;
  }
  return -1;
}
