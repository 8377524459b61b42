import { InvalidConfigError } from "../../errors/index.js";
import { isArray } from "../../serde/objects/inspect-object.js";
import type { Conversation } from "../api/checkpoints.js";
import type { ValuePath } from "../api/value-node.js";
import type { CallRun } from "../calls/call-definition.js";
import type { ChannelPlace } from "../queries/value-rows.js";
import { findChannelValue, rebuildMessages } from "../stored-values/read-stored-value.js";
import { describeConversation, type MessagePage } from "../values/conversation.js";
import { unwrapSnapshot } from "../../saver/codec/special-values.js";
import { stepTo } from "../values/value-parts.js";

/** Reads a page of the messages in a channel. */
export async function readConversation(
  run: CallRun,
  place: ChannelPlace,
  page: Omit<MessagePage, "path">,
): Promise<Conversation> {
  const { messages, path, isRebuilt } = await readMessages(run, place);
  const conversation = describeConversation(messages, { ...page, path });
  return isRebuilt ? { ...conversation, isRebuilt } : conversation;
}

/** The messages in a channel. */
interface ReadMessages {
  readonly messages: readonly unknown[];
  /** The way to their list in the value of the channel. */
  readonly path: ValuePath;
  /** Whether the list is not stored. */
  readonly isRebuilt: boolean;
}

/** Reads all messages in a channel. */
export async function readMessages(run: CallRun, place: ChannelPlace): Promise<ReadMessages> {
  const found = await findChannelValue(run, place);
  if (found === undefined) return { messages: await rebuildMessages(run, place), path: [], isRebuilt: true };
  const { value } = found;
  const messages = unwrapSnapshot(value);
  if (!isArray(messages)) throw new InvalidConfigError("args.channel", "holds no list of messages");
  const step = messages === value ? undefined : stepTo(value, "value");
  return { messages, path: step === undefined ? [] : [step], isRebuilt: false };
}
