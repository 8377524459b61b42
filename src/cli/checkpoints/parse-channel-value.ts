import { randomUUID } from "node:crypto";
import { BaseMessage, type BaseMessageLike, coerceMessageLikeToMessage } from "@langchain/core/messages";
import { InvalidConfigError } from "../../errors/index.js";
import { pythonOriginOf } from "../../serde/python-origin.js";
import { isArray, isObject, isPlainObject, isRecord } from "../../serde/msgpack/prototypes.js";

/**
 * Makes of JSON that a user gave for a channel what the channel holds: messages where it has held messages, coerced as by
 * LangGraph's reducer. Where it has held other objects of classes, JSON can't stand for them.
 *
 * @param known - What the channel has held so far: values, or parts of them.
 * @throws InvalidConfigError for JSON that is no message where messages were, and for any JSON where other objects were.
 */
export function channelInput(channel: string, json: unknown, known: readonly unknown[]): unknown {
  if (known.some(isMessage)) return toMessage(channel, json, "is");
  if (known.some((value) => isArray(value) && value.some(isMessage))) {
    if (isArray(json)) return json.map((item, index) => toMessage(channel, item, `has at [${index}]`));
    throw refusal(channel, "holds a list of messages, and the JSON is no list");
  }
  const name = known.map((value) => classWithin(value, new Set())).find((found) => found !== undefined);
  if (name === undefined || json === null) return json;
  throw refusal(channel, `holds objects of the class ${name}, which JSON can't write: use fork of a saver`);
}

function isMessage(value: unknown): value is BaseMessage {
  return BaseMessage.isInstance(value);
}

/** @param verb - How the JSON for the channel relates to this value of it. */
function toMessage(channel: string, json: unknown, verb: string): BaseMessage {
  const problem = `holds messages, and the JSON ${verb} none: expected such as {"role": "user", "content": "hi"}`;
  if (!isMessageLike(json)) throw refusal(channel, problem);
  try {
    const message = coerceMessageLikeToMessage(json);
    if (typeof message.id !== "string") {
      // LangGraph's reducer tells messages by their ids, and would give it another one whenever it is read.
      message.id = randomUUID();
      message.lc_kwargs.id = message.id;
    }
    return message;
  } catch (cause) {
    throw refusal(channel, problem, cause);
  }
}

function refusal(channel: string, problem: string, cause?: unknown): InvalidConfigError {
  return new InvalidConfigError("--set", `the channel "${channel}" ${problem}`, { channel, cause });
}

/** The coercion would make empty messages of objects without content. */
function isMessageLike(json: unknown): json is BaseMessageLike {
  if (isArray(json)) return json.length === 2 && json.every((part) => typeof part === "string");
  if (!isRecord(json)) return false;
  return (
    typeof (json.role ?? json.type) === "string" &&
    (typeof json.content === "string" || isArray(json.content))
  );
}

/** The name of the class of the first object that is no plain data. */
function classWithin(value: unknown, seen: Set<object>): string | undefined {
  if (!isObject(value) || seen.has(value)) return undefined;
  seen.add(value);
  const origin = pythonOriginOf(value);
  if (origin !== undefined) return `${origin.module}.${origin.name}`;
  if (!isArray(value) && !isPlainObject(value)) return value.constructor.name;
  for (const item of Object.values(value)) {
    const name = classWithin(item, seen);
    if (name !== undefined) return name;
  }
  return undefined;
}
