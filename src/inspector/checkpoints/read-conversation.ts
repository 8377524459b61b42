import { InvalidConfigError } from "../../errors/index.js";
import { isArray } from "../../serde/objects/type-guards.js";
import type { Conversation } from "../api/checkpoints.js";
import type { ValuePath } from "../api/value-node.js";
import type { CallRun } from "../calls/call-definition.js";
import type { ChannelPlace } from "../queries/value-rows.js";
import { configOf, findChannelValue } from "../stored-values/read-stored-value.js";
import { describeConversation, type MessagePage } from "../values/conversation.js";
import { foldMessages } from "../values/fold-messages.js";
import { unwrapSnapshot } from "../../saver/codec/unwrap-snapshot.js";
import { stepTo } from "../values/value-parts.js";

/** Reads a page of the messages in a channel. */
export async function readConversation(
  run: CallRun,
  place: ChannelPlace,
  page: Omit<MessagePage, "path">,
): Promise<Conversation> {
  const { messages, path } = await readMessages(run, place);
  const conversation = describeConversation(messages, { ...page, path: path ?? [] });
  return path === undefined ? { ...conversation, isRebuilt: true } : conversation;
}

/** The messages in a channel, and the way to their list in its value. A list that is not stored has none: it was rebuilt. */
export interface ReadMessages {
  readonly messages: readonly unknown[];
  readonly path: ValuePath | undefined;
}

/** Reads all messages in a channel. */
export async function readMessages(run: CallRun, place: ChannelPlace): Promise<ReadMessages> {
  const found = await findChannelValue(run, place);
  if (found === undefined) return { messages: await rebuildMessages(run, place), path: undefined };
  const { value } = found;
  const messages = unwrapSnapshot(value);
  if (!isArray(messages)) throw new InvalidConfigError("args.channel", "holds no list of messages");
  const step = messages === value ? undefined : stepTo(value, "value");
  return { messages, path: step === undefined ? [] : [step] };
}

/** Rebuilds the messages of a delta channel. */
async function rebuildMessages(
  { context, signal }: CallRun,
  { channel, ...place }: ChannelPlace,
): Promise<readonly unknown[]> {
  const config = configOf(place);
  const histories = await context.saver.getDeltaChannelHistory({ config, channels: [channel], signal });
  const { seed, writes = [] } = histories[channel] ?? {};
  if (seed === undefined && writes.length === 0) {
    throw new InvalidConfigError("args.channel", "has no value at this checkpoint");
  }
  const messages = foldMessages({ seed, writes });
  if (messages !== undefined) return messages;
  throw new InvalidConfigError(
    "args.channel",
    `is a delta channel, whose value is not stored: its graph rebuilds it from ${writes.length} writes, some of which are no messages`,
  );
}
