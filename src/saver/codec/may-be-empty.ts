import { INTERRUPT, TASKS } from "@langchain/langgraph-checkpoint";

/** The channel that LangGraph keeps the input of a run in until it has begun. */
export const INPUT_CHANNEL = "__start__";

/** Channels that engines make for themselves, and empty again as soon as their node has run. */
const ENGINE_CHANNEL = /^(__|branch:|join:|start:)/;

/** What is known of a channel without a value. */
export interface UnstoredChannel {
  readonly channel: string;
  /** As the header has it. */
  readonly version: unknown;
  /** Where the checkpoint comes from, by its metadata. */
  readonly source: unknown;
}

/**
 * Whether a channel that has a version, but neither a blob nor a value in the header, may just be empty. The savers for
 * JavaScript store a row for that. Python's stores none, and its versions are text; but of a graph's own channels nearly
 * all have a value as soon as they have a version.
 */
export function mayBeEmpty({ channel, version, source }: UnstoredChannel): boolean {
  if (channel === TASKS || channel === INTERRUPT) return true;
  if (channel === INPUT_CHANNEL && source === "input") return false;
  return typeof version === "string" && ENGINE_CHANNEL.test(channel);
}

/** Whether nothing needs to be stored of a channel without a value: it reads as empty, and its writes are of no use later. */
export function needsNoRow(unstored: UnstoredChannel): boolean {
  return isTrigger(unstored.channel) && mayBeEmpty(unstored);
}

/** Whether a channel is one of those that start a node. Nobody asks for what it once held. */
export function isTrigger(channel: string): boolean {
  return channel === INPUT_CHANNEL || channel.startsWith("branch:to:");
}

/**
 * Whether LangGraph.js says by `undefined` that a channel is empty, as of the trigger of a deferred node: Python would take
 * it for a pair. A channel of the state may hold `undefined`.
 */
export function isEmptyTrigger(channel: string, value: unknown): boolean {
  return value === undefined && isTrigger(channel);
}
