import {
  CheckpointError,
  DeserializationError,
  type ErrorLocation,
  isUnreadable,
} from "../../errors/index.js";
import { messageOfThrown } from "../../errors/thrown.js";
import { innermost } from "../../serde/serializer-layer.js";
import type {
  ChannelValueContext,
  ContextualSerializer,
  CheckpointValueContext,
} from "../../serde/serde-context.js";
import { isSplice } from "../../splices/splice-type.js";
import { loadOnce } from "../../db/async/load-once.js";
import { type ReadValue, type RowReader } from "./read-chain.js";
import { type ChainRows, type StoredValue, UNTAGGED } from "./stored-value.js";
import type { TupleRow } from "../queries/tuple-row.js";

const loadChains = loadOnce(() => import("./read-chain.js"));

const NO_BYTES = new Uint8Array();

/** The error for a plain JSON value in a header, where the serializer refuses plaintext. */
export const INLINE_REFUSAL =
  "the value is not encrypted: it stands in the header of its checkpoint, and the serializer is a strict one";

/** What decodes values. */
export interface ValueReader {
  readonly serde: ContextualSerializer;
  /** Fetches the bytes of a value that was too long to come with its row, in this version of the row. */
  readonly fetch: (place: CheckpointValueContext, rowVersion: string) => Promise<Uint8Array>;
  /** The same object for all values of one result. See `read` of `CheckpointValueContext`. */
  readonly read: object;
  /** Fetches the rows that a splice is made of, with its own. */
  readonly fetchChain: (place: ChannelValueContext) => Promise<ChainRows>;
  /** Called with each value of a channel, where the saver remembers values. It must not keep the bytes. */
  readonly remember?: ((channel: string, value: ReadValue) => void) | undefined;
  /** Called with each value of a channel that is a splice. */
  readonly inspect?: ((value: ReadValue) => void) | undefined;
}

/** A value, and the rows that it is made of, where they were read with it. */
export interface FoundValue extends StoredValue {
  readonly chain?: ChainRows;
}

/**
 * Decodes a stored value with the serializer.
 *
 * @throws DeserializationError naming the thread, the checkpoint and the channel.
 */
export function decodeValue(
  reader: ValueReader,
  stored: FoundValue,
  context: CheckpointValueContext,
  location: ErrorLocation,
): Promise<unknown> {
  return decodeAt(location, stored.type, () => loadValue(reader, stored, { ...context, read: reader.read }));
}

/**
 * Runs a function that decodes a value.
 *
 * @throws DeserializationError with the location, also for an error of another kind.
 */
export async function decodeAt<Value>(
  location: ErrorLocation,
  type: string | null,
  decode: () => Promise<Value>,
): Promise<Value> {
  try {
    return await decode();
  } catch (error) {
    if (error instanceof DeserializationError) throw error.at(location);
    if (error instanceof CheckpointError) throw error;
    const problem = messageOfThrown(error);
    throw new DeserializationError(problem, { ...location, typeTag: type ?? undefined, cause: error });
  }
}

// Not async, because a history has thousands of values, and each promise takes as long as a short value.
function loadValue(
  reader: ValueReader,
  stored: FoundValue,
  context: CheckpointValueContext,
): Promise<unknown> {
  const { serde, remember } = reader;
  const isChained = isSplice(stored.type) || remember !== undefined;
  if (isChained && !("taskId" in context)) return loadChained(reader, stored, context);
  const { type, blob, rowVersion } = stored;
  const load = (bytes: Uint8Array): Promise<unknown> => serde.loadsTyped(type ?? UNTAGGED, bytes, context);
  return rowVersion === undefined ? load(blob ?? NO_BYTES) : reader.fetch(context, rowVersion).then(load);
}

async function loadChained(
  reader: ValueReader,
  stored: FoundValue,
  context: ChannelValueContext,
): Promise<unknown> {
  const known = isSplice(stored.type) ? stored.chain : () => stored;
  const rows = known ?? (await reader.fetchChain(context));
  const { readChain } = await loadChains();
  const value = await readChain(rowReaderOf(reader), context, rows);
  const { type, bytes } = value;
  reader.remember?.(context.channel, value);
  if (value.splices > 0) reader.inspect?.(value);
  return innermost(reader.serde).loadsTyped(type, bytes, context);
}

/** Reads the rows of chains as `reader` reads values. */
export function rowReaderOf(reader: ValueReader): RowReader {
  return { serde: reader.serde, bytesOf: (row, place) => bytesOf(reader, row, place) };
}

async function bytesOf(
  { fetch }: ValueReader,
  { blob, rowVersion }: StoredValue,
  context: CheckpointValueContext,
): Promise<Uint8Array> {
  return rowVersion === undefined ? (blob ?? NO_BYTES) : fetch(context, rowVersion);
}

/** Whether a read succeeds. Errors that say nothing about what is stored are thrown. */
export async function canRead(read: () => Promise<unknown>): Promise<boolean> {
  return (await readableOrUndefined(async () => ({ value: await read() }))) !== undefined;
}

/** Reads what may be unreadable; `undefined` where it is. Errors that say nothing about what is stored are thrown. */
export async function readableOrUndefined<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isUnreadable(error)) return undefined;
    throw error;
  }
}

/** Estimates the bytes of headers and values in rows, without decoding them. */
export function bytesRead(rows: readonly TupleRow[]): number {
  return rows.reduce((sum, row) => sum + bytesOfRow(row), 0);
}

function bytesOfRow(row: TupleRow): number {
  if (row.part === "checkpoint") return (row.checkpoint?.length ?? 0) + (row.metadata?.length ?? 0);
  // Base64 takes four characters for three bytes.
  return Math.floor(((row.blob?.length ?? 0) * 3) / 4);
}
