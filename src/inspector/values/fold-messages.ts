import { type DeltaChannelHistory, isDeltaSnapshot } from "@langchain/langgraph-checkpoint";
import { overwriteValue } from "../../saver/codec/overwrite-value.js";
import { isArray } from "../../serde/objects/type-guards.js";
import { readMessage } from "./read-message.js";
import { readOwn } from "./read-property.js";

/** The id of the message that removes all before it. */
const REMOVE_ALL = "__remove_all__";

/**
 * Computes the messages of a delta channel from its history, as `messagesDeltaReducer` of LangGraph does: a message replaces the one with
 * its id, or removes it.
 *
 * @returns `undefined` where something else than messages was written, which only the graph can reduce.
 */
export function foldMessages({ seed, writes }: DeltaChannelHistory): readonly unknown[] | undefined {
  let messages = messagesIn(isDeltaSnapshot(seed) ? seed.value : (seed ?? []));
  for (const [, , write] of writes) {
    const overwrite = overwriteValue(write);
    const written = messagesIn(overwrite === undefined ? write : (overwrite.value ?? []));
    if (messages === undefined || written === undefined) return undefined;
    messages = overwrite === undefined ? added(messages, written) : written;
  }
  return messages;
}

/** Returns the messages in a list, or one message as a list. A text is a message of a person. */
function messagesIn(value: unknown): readonly unknown[] | undefined {
  const list = (isArray(value) ? value : [value]).map((item) =>
    typeof item === "string" ? { role: "user", content: item } : item,
  );
  return list.every((item) => readMessage(item) !== undefined) ? list : undefined;
}

const REMOVED = Symbol("removed");

function added(messages: readonly unknown[], written: readonly unknown[]): readonly unknown[] {
  let result: unknown[] = [...messages];
  let positions = new Map(result.map((message, index) => [idOf(message), index]));
  for (const message of written) {
    const id = idOf(message);
    const position = id === undefined ? undefined : positions.get(id);
    const isRemoval = readMessage(message)?.role === "remove";
    if (isRemoval && id === REMOVE_ALL) {
      result = [];
      positions = new Map();
    } else if (isRemoval) {
      if (position !== undefined) result[position] = REMOVED;
      positions.delete(id);
    } else if (position === undefined) {
      positions.set(id, result.length);
      result.push(message);
    } else result[position] = message;
  }
  return result.filter((message) => message !== REMOVED);
}

function idOf(message: unknown): string | undefined {
  const id = readOwn(readMessage(message)?.fields ?? {}, "id");
  return typeof id === "string" ? id : undefined;
}
