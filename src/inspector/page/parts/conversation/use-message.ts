import type { MessageView } from "../../../api/checkpoints.js";
import type { CheckpointPlace, ValuePlace } from "../../../api/places.js";
import type { ValuePath } from "../../../api/value-node.js";
import { pathToText } from "../value-tree/value-texts.js";
import { useRead } from "../../server/use-read.js";

/** How many messages are read at once. */
export const MESSAGES_AT_ONCE = 25;

/** A channel that is shown as a conversation. */
export interface ShownConversation {
  readonly place: CheckpointPlace;
  readonly channel: string;
  /** Returns the link to a message. */
  readonly linkTo: (path: string) => string;
  /** Returns the step that has added a message, with the link to it, where that is known. */
  readonly stepOf?: (message: MessageView) => { readonly name: string; readonly link: string } | undefined;
  /** Whether the arguments of calls without a result are folded, since a person who is asked about them sees them elsewhere. */
  readonly foldsOpenCalls?: boolean;
}

/** Returns the link to a message. */
export function linkToMessage({ linkTo }: ShownConversation, path: ValuePath): string {
  return linkTo(pathToText(path));
}

/** Returns the link to the message at another position of the list that a message is in. */
export function linkToPosition(
  conversation: ShownConversation,
  { path }: MessageView,
  position: number,
): string {
  return linkToMessage(conversation, [...path.slice(0, -1), position]);
}

/** Returns where the value of the channel is. */
export function placeOfValue({ place, channel }: ShownConversation): ValuePlace {
  return { kind: "channel", channel, ...place };
}

interface UsedMessage {
  readonly message: MessageView | undefined;
  readonly error: unknown;
}

/** Reads the page that has a message, which its neighbours share. */
export function useMessage({ place, channel }: ShownConversation, position: number): UsedMessage {
  const offset = Math.floor(position / MESSAGES_AT_ONCE) * MESSAGES_AT_ONCE;
  const { data, error } = useRead("conversation", { ...place, channel, offset, limit: MESSAGES_AT_ONCE });
  return { message: data?.messages[position - offset], error };
}
