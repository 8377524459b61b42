import type { DeltaChannelHistory } from "@langchain/langgraph-checkpoint";
import { overwriteValue, unwrapSnapshot } from "../../saver/codec/special-values.js";
import { isArray } from "../../serde/objects/inspect-object.js";
import { letOthersRun } from "./let-others-run.js";
import { readMessage } from "./read-message.js";
import { readOwn } from "./read-property.js";

/** The id of the message that removes all before it. */
const REMOVE_ALL = "__remove_all__";

/**
 * Computes the messages of a delta channel from its history, as `messagesDeltaReducer` of LangGraph does: a message replaces the one with
 * its id, or removes it.
 *
 * @throws AbortError when the signal aborts meanwhile.
 * @returns `undefined` where something else than messages was written, which only the graph can reduce.
 */
export async function foldMessages(
  { seed, writes }: DeltaChannelHistory,
  signal: AbortSignal,
): Promise<readonly unknown[] | undefined> {
  const first = messagesIn(unwrapSnapshot(seed) ?? []);
  if (first === undefined) return undefined;
  let folded = new FoldedMessages(first);
  for (const [, , write] of writes) {
    await letOthersRun(signal);
    const overwrite = overwriteValue(write);
    const written = messagesIn(overwrite === undefined ? write : (overwrite.value ?? []));
    if (written === undefined) return undefined;
    if (overwrite === undefined) folded.add(written);
    else folded = new FoldedMessages(written);
  }
  return folded.messages;
}

/** Returns the messages in a list, or one message as a list. A text is a message of a person. */
function messagesIn(value: unknown): readonly unknown[] | undefined {
  const list = (isArray(value) ? value : [value]).map((item) =>
    typeof item === "string" ? { role: "user", content: item } : item,
  );
  return list.every((item) => readMessage(item) !== undefined) ? list : undefined;
}

const REMOVED = Symbol("removed");

/** The messages after some writes. It keeps their positions, since a thread may have many messages and many writes. */
class FoldedMessages {
  #messages: unknown[];
  /** By id. */
  readonly #positions: Map<string | undefined, number>;

  constructor(messages: readonly unknown[]) {
    this.#messages = [...messages];
    this.#positions = new Map(messages.map((message, index) => [idOf(message), index]));
  }

  get messages(): readonly unknown[] {
    return this.#messages.filter((message) => message !== REMOVED);
  }

  add(written: readonly unknown[]): void {
    for (const message of written) {
      const id = idOf(message);
      const position = id === undefined ? undefined : this.#positions.get(id);
      const isRemoval = readMessage(message)?.role === "remove";
      if (isRemoval && id === REMOVE_ALL) {
        this.#messages = [];
        this.#positions.clear();
      } else if (isRemoval) {
        if (position !== undefined) this.#messages[position] = REMOVED;
        this.#positions.delete(id);
      } else if (position === undefined) {
        this.#positions.set(id, this.#messages.length);
        this.#messages.push(message);
      } else this.#messages[position] = message;
    }
  }
}

function idOf(message: unknown): string | undefined {
  const id = readOwn(readMessage(message)?.fields ?? {}, "id");
  return typeof id === "string" ? id : undefined;
}
