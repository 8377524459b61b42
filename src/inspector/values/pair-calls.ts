import { readMessage } from "./read-message.js";
import { textAt } from "./located.js";
import { callIdsOf } from "./read-tool-calls.js";

/** Which messages of a conversation answer which calls of tools. */
export interface PairedCalls {
  /** Returns the position of the message that answers a call. */
  readonly answerTo: (callId: string, position: number) => number | undefined;
  /** Returns the position of the message whose call shows a message as its result. */
  readonly shownAt: (position: number) => number | undefined;
}

/** The pairs of the lists that were described last. Values do not change after they have been read. */
const known = new WeakMap<readonly unknown[], PairedCalls>();

/** Finds the answers to the calls of a conversation. A person scrolls through it, so they are found once. */
export function pairCalls(messages: readonly unknown[], maxCalls: number): PairedCalls {
  const found = known.get(messages) ?? findPairs(messages, maxCalls);
  known.set(messages, found);
  return found;
}

function findPairs(messages: readonly unknown[], maxCalls: number): PairedCalls {
  /** By position and call. */
  const answers = new Map<number, Map<string, number>>();
  const shownAt = new Map<number, number>();
  /** By call: the first answer after the position. */
  const later = new Map<string, number>();
  for (let position = messages.length - 1; position >= 0; position--) {
    const read = readMessage(messages[position]);
    if (read === undefined) continue;
    const ofMessage = new Map<string, number>();
    for (const id of callIdsOf(read.fields).slice(0, maxCalls)) {
      const answer = id === undefined ? undefined : later.get(id);
      if (id === undefined || answer === undefined) continue;
      ofMessage.set(id, answer);
      shownAt.set(answer, position);
    }
    if (ofMessage.size > 0) answers.set(position, ofMessage);
    const answered = textAt(read.fields, "tool_call_id");
    if (answered !== undefined) later.set(answered, position);
  }
  return {
    answerTo: (callId, position) => answers.get(position)?.get(callId),
    shownAt: (position) => shownAt.get(position),
  };
}
