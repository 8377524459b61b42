import { randomUUID } from "node:crypto";
import { BaseMessage, type BaseMessageLike, coerceMessageLikeToMessage } from "@langchain/core/messages";
import { InvalidConfigError, isUnreadable } from "../errors/index.js";
import { isArray, isObject, isRecord, isPlainObject } from "../serde/objects/inspect-object.js";
import { pythonOriginOf } from "../serde/python/python-origin.js";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { CheckpointTuple, DeltaChannelHistory } from "@langchain/langgraph-checkpoint";
import type { CallOptions } from "../parsing/parse-call-options.js";
import type { ReadOptions } from "../saver/boundary/parse-read.js";
import { unwrapSnapshot } from "../saver/codec/special-values.js";

const MESSAGE_EXAMPLE = '{"role": "user", "content": "hi"}';

/** The JSON that a user gave for a channel. */
interface ChannelJson {
  readonly channel: string;
  readonly json: unknown;
  /** How an error names the argument that the JSON came from. */
  readonly field: string;
}

/**
 * Converts the JSON that a user gave for a channel to a value of that channel. For a channel that has held messages, the JSON
 * is coerced to messages, as LangGraph's reducer does. JSON is refused for a channel that has held other objects of classes.
 *
 * @param earlier - Values that the channel has held, or parts of them.
 * @throws InvalidConfigError if the channel has held messages and the JSON is not one, or if it has held other objects.
 */
export function parseChannelValue(given: ChannelJson, earlier: readonly unknown[]): unknown {
  const { json } = given;
  if (earlier.some(isMessage)) return toMessage(given, json, "the JSON");
  if (earlier.some((value) => isArray(value) && value.some(isMessage))) {
    if (isArray(json)) return json.map((item, index) => toMessage(given, item, `the JSON at [${index}]`));
    throw refusal(given, "holds a list of messages, but the JSON is not a list");
  }
  const name = earlier.map((value) => classNameIn(value, new Set())).find((found) => found !== undefined);
  if (name === undefined || json === null) return json;
  throw refusal(
    given,
    `holds objects of class ${name}, which JSON can't represent; use \`fork\` of a saver instead`,
  );
}

function isMessage(value: unknown): value is BaseMessage {
  return BaseMessage.isInstance(value);
}

/** @param subject - How an error names the JSON. */
function toMessage(given: ChannelJson, json: unknown, subject: string): BaseMessage {
  const problem = `holds messages, but ${subject} is not a message such as ${MESSAGE_EXAMPLE}`;
  if (!isMessageLike(json)) throw refusal(given, problem);
  try {
    const message = coerceMessageLikeToMessage(json);
    if (typeof message.id !== "string") {
      // LangGraph's reducer identifies messages by their ids, and would assign a new one at every read.
      message.id = randomUUID();
      message.lc_kwargs.id = message.id;
    }
    return message;
  } catch (cause) {
    throw refusal(given, problem, cause);
  }
}

function refusal({ channel, field }: ChannelJson, problem: string, cause?: unknown): InvalidConfigError {
  return new InvalidConfigError(field, `the channel "${channel}" ${problem}`, { channel, cause });
}

// Stricter than LangChain's coercion, which converts an object without content to an empty message.
function isMessageLike(json: unknown): json is BaseMessageLike {
  if (isArray(json)) return json.length === 2 && json.every((part) => typeof part === "string");
  if (!isRecord(json)) return false;
  return (
    typeof (json.role ?? json.type) === "string" &&
    (typeof json.content === "string" || isArray(json.content))
  );
}

/** The class name of the first object in a value that is neither a list nor a plain object. */
function classNameIn(value: unknown, seen: Set<object>): string | undefined {
  if (!isObject(value) || seen.has(value)) return undefined;
  seen.add(value);
  const origin = pythonOriginOf(value);
  if (origin !== undefined) return `${origin.module}.${origin.name}`;
  if (!isArray(value) && !isPlainObject(value)) return value.constructor.name;
  for (const item of Object.values(value)) {
    const name = classNameIn(item, seen);
    if (name !== undefined) return name;
  }
  return undefined;
}

/** A stored checkpoint. */
export interface EarlierCheckpoint {
  readonly config: RunnableConfig;
  /** The channels that have a version in this checkpoint. */
  readonly channels: readonly string[];
}

/** The methods of a saver that read the values of channels. */
interface ValueSource {
  getTuple(config: RunnableConfig, options?: ReadOptions): Promise<CheckpointTuple | undefined>;
  getDeltaChannelHistory(
    options: { config: RunnableConfig; channels: string[] } & CallOptions,
  ): Promise<Record<string, DeltaChannelHistory>>;
}

/**
 * Reads the values of channels in several checkpoints, by channel. For a delta channel, whose value is not stored, these are
 * its base value and its writes. Values that can't be read are left out.
 */
export async function readEarlierValues(
  saver: ValueSource,
  checkpoints: readonly EarlierCheckpoint[],
  channels: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly unknown[]>> {
  const values = new Map<string, unknown[]>(channels.map((channel) => [channel, []]));
  for (const checkpoint of checkpoints) {
    const requested = channels.filter((channel) => checkpoint.channels.includes(channel));
    if (requested.length === 0) continue;
    try {
      for await (const [channel, found] of valuesOf(saver, checkpoint.config, requested, signal))
        values.get(channel)?.push(...found);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
    }
  }
  return values;
}

/** Yields the values of the channels of a checkpoint. */
async function* valuesOf(
  saver: ValueSource,
  config: RunnableConfig,
  channels: string[],
  signal: AbortSignal,
): AsyncGenerator<[channel: string, values: readonly unknown[]]> {
  const tuple = await saver.getTuple(config, { channels, writes: false, signal });
  const stored = tuple?.checkpoint.channel_values ?? {};
  for (const [channel, value] of Object.entries(stored)) yield [channel, [unwrapSnapshot(value)]];
  const unstored = channels.filter((channel) => !Object.hasOwn(stored, channel));
  if (unstored.length === 0) return;
  const histories = await saver.getDeltaChannelHistory({ config, channels: unstored, signal });
  for (const [channel, { seed, writes }] of Object.entries(histories)) {
    const written = writes.map(([, , value]) => (Array.isArray(value) ? value : [value]) as unknown[]);
    yield [channel, [...(seed === undefined ? [] : [unwrapSnapshot(seed)]), ...written]];
  }
}
