import { INTERRUPT, TASKS } from "@langchain/langgraph-checkpoint";

/** The channel in which LangGraph keeps the input of a run until the run has started. */
export const INPUT_CHANNEL = "__start__";

/** The prefixes of channels that engines create themselves, and empty again when their node has run. */
const ENGINE_CHANNEL = /^(__|branch:|join:|start:)/;

/** Whether an engine creates and empties a channel, whatever the state of a graph is. */
export function isOfEngine(channel: string): boolean {
  return ENGINE_CHANNEL.test(channel);
}

/** A channel without a value. */
export interface UnstoredChannel {
  readonly channel: string;
  /** The version in the header. */
  readonly version: unknown;
  /** The source of the checkpoint, from its metadata. */
  readonly source: unknown;
}

/**
 * Whether a channel that has a version, but neither a blob nor a value in the header, may just be empty. The
 * JavaScript savers store a row for an empty channel. Python's saver stores none, and its versions are text. Of a
 * graph's own channels, nearly all have a value as soon as they have a version.
 */
export function mayBeEmpty({ channel, version, source }: UnstoredChannel): boolean {
  if (channel === TASKS || channel === INTERRUPT) return true;
  if (channel === INPUT_CHANNEL && source === "input") return false;
  return typeof version === "string" && isOfEngine(channel);
}

/**
 * Whether nothing needs to be stored for a channel without a value: it reads as empty, and nothing needs its writes
 * later.
 */
export function needsNoRow(unstored: UnstoredChannel): boolean {
  return isTrigger(unstored.channel) && mayBeEmpty(unstored);
}

/** Whether a channel starts a node. Nothing reads its former values. */
export function isTrigger(channel: string): boolean {
  return channel === INPUT_CHANNEL || channel.startsWith("branch:to:");
}

/**
 * Whether a channel that a graph has no value of may have an inline value of an earlier checkpoint: the graph may be a version without the
 * channel. Every graph has the channels that begin with `__`, so a graph that has no value of them has emptied them.
 */
export function mayHoldInline(channel: string): boolean {
  return !channel.startsWith("__");
}

/**
 * Whether LangGraph.js uses `undefined` to say that a channel is empty, as for the trigger of a deferred node. Python
 * would read it as a pair. A channel of the state may hold `undefined` as a value.
 */
export function isEmptyTrigger(channel: string, value: unknown): boolean {
  return value === undefined && isTrigger(channel);
}
