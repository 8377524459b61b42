import { isArray } from "../../serde/objects/inspect-object.js";
import { asPythonSet } from "../../serde/python/as-python.js";
import { OVERWRITE_KEY } from "../../serde/langchain/langgraph-classes.js";
import { isDeltaSnapshot, INTERRUPT, TASKS } from "@langchain/langgraph-checkpoint";

/** The names of the channels in which both engines wait for an edge with several starts. */
const BARRIER_CHANNEL = /^join:.+:.+$/s;

/**
 * Converts a channel's value to the form in which it is stored. The names that a barrier has seen are an array in
 * LangGraph.js. In Python they are a set, to which the engine adds.
 */
export function toStoredBarrier(channel: string, value: unknown): unknown {
  if (!BARRIER_CHANNEL.test(channel) || !isArray(value)) return value;
  const [seen, finished] = value;
  if (isNames(value)) return asPythonSet(value);
  return isNames(seen) && isFinished(value, finished) ? [asPythonSet(seen), finished] : value;
}

/** Converts a stored value to the form that LangGraph.js expects. */
export function fromStoredBarrier(channel: string, value: unknown): unknown {
  if (!BARRIER_CHANNEL.test(channel)) return value;
  if (value instanceof Set) return [...value];
  if (!isArray(value)) return value;
  const [seen, finished] = value;
  return seen instanceof Set && isFinished(value, finished) ? [[...seen], finished] : value;
}

function isNames(value: unknown): value is string[] {
  return isArray(value) && value.every((name) => typeof name === "string");
}

/** The barrier before a deferred node also has a flag that says whether all other nodes are done. */
function isFinished(value: readonly unknown[], finished: unknown): boolean {
  return value.length === 2 && typeof finished === "boolean";
}

/**
 * The value of an `Overwrite`: a write that replaces the value of a channel instead of being reduced into it.
 *
 * @returns `undefined` when the write is not an `Overwrite`.
 */
export function overwriteValue(write: unknown): { readonly value: unknown } | undefined {
  if (typeof write !== "object" || write === null) return undefined;
  if (OVERWRITE_KEY in write) return { value: write[OVERWRITE_KEY] };
  return "type" in write && write.type === OVERWRITE_KEY && "value" in write
    ? { value: write.value }
    : undefined;
}

/** Returns the value of a channel without what the engine puts around the values of its delta channels. */
export function unwrapSnapshot(value: unknown): unknown {
  return isDeltaSnapshot(value) ? value.value : value;
}

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

/** The longest inline string in UTF-16 code units. A longer one would be copied into every header. */
const MAX_INLINE_LENGTH = 1_024;

/** The largest number of digits of an integer that Python reads from JSON. */
const MAX_PYTHON_DIGITS = 4_300;

/** The values that the header of a checkpoint can hold beside the versions, as in Python's saver. */
export type InlineValue = string | number | boolean | null | bigint;

/**
 * Whether JSONB stores `value` exactly, and both languages read it back as what it is. JSONB has no -0 and no NaN, and its text has no
 * U+0000 and no lone surrogate. It prints a large number without its exponent, and then it is an integer: a BigInt, and an `int` in Python.
 */
export function isInlineValue(value: unknown): value is InlineValue {
  switch (typeof value) {
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER && !Object.is(value, -0);
    case "bigint":
      return isInlineInteger(value);
    case "string":
      return value.length <= MAX_INLINE_LENGTH && !/\0|\p{Surrogate}/u.test(value);
    default:
      return value === null;
  }
}

/**
 * Whether a header returns a BigInt as a BigInt, and Python can read it. Python reads no integer of more than 64 bits
 * from a blob.
 */
function isInlineInteger(value: bigint): boolean {
  // Hexadecimal digits are fast to count, and a number has at least as many decimal ones.
  const size = value < 0n ? -value : value;
  return (
    size > Number.MAX_SAFE_INTEGER &&
    size.toString(16).length <= MAX_PYTHON_DIGITS &&
    String(size).length <= MAX_PYTHON_DIGITS
  );
}

/**
 * Whether Python's saver may have stored `value` inline, so that there is no blob which a later checkpoint could
 * reference.
 */
export function mayBeInline(value: unknown): boolean {
  return value === null || ["boolean", "number", "string", "bigint"].includes(typeof value);
}
