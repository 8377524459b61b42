import { BrokenChainError, DeserializationError } from "../errors/index.js";
import type { CheckpointValueContext, ChannelValueContext } from "../serde/serde-context.js";
import { type CheckpointKey, rowKey } from "../saver/model/keys.js";
import { decodeValue, type ValueReader, canRead } from "../saver/codec/decode-value.js";
import { type ReadValue } from "../saver/codec/read-chain.js";
import { storedValueOf, type ChainRows } from "../saver/codec/stored-value.js";
import {
  blobPlaceOf,
  type BlobPageRow,
  type WritePageRow,
  writePlaceOf,
} from "../saver/queries/get-value-page.js";
import { isSplice } from "../splices/splice-type.js";
import { MAX_CHAIN } from "../splices/value-chain.js";
import { faultsOfBlob, faultsOfWrite } from "../saver/codec/faults-of-columns.js";
import { type Cause, error, type FoundProblem, notice } from "./problems.js";

/** A write of a table whose column `task_path` may have lost its NOT NULL. */
export type CheckedWriteRow = Omit<WritePageRow, "task_path"> & { readonly task_path: string | null };

/** The problems of a checkpoint's value. */
export async function problemsOfBlob(row: BlobPageRow, reader: ValueReader): Promise<FoundProblem[]> {
  const place = blobPlaceOf(row);
  let splices = 0;
  let bytes: number | undefined;
  const inspect = (value: ReadValue): void => {
    splices = value.splices;
    bytes = value.bytes.length;
  };
  const failure = row.type === "empty" ? undefined : await failureOf(row, place, { ...reader, inspect });
  const faults = faultsOfBlob(row, bytes);
  if (failure !== undefined) {
    const isBroken = failure instanceof BrokenChainError;
    const reason = [failure.problem, ...faults].join("; ");
    return [
      error(isBroken ? "broken-chain" : "undecodable-value", place, reason, await causeOf(row, reader)),
    ];
  }
  if (faults.length > 0) return [error("corrupt-value", place, faults.join("; "))];
  return splices > MAX_CHAIN ? [notice("long-chain", place, longChain(splices))] : [];
}

function longChain(splices: number): string {
  return (
    `the value can be read, but it is made of ${splices} other values, ` +
    `and ${MAX_CHAIN} are the most that reads are meant for: compact makes the chain shorter`
  );
}

/** The row to blame for a value that can't be read: the row itself, or one that it is made of. */
async function causeOf(row: BlobPageRow, reader: ValueReader): Promise<Cause> {
  const place = blobPlaceOf(row);
  const version = isSplice(row.type) ? await causeOfFailure(place, reader) : place.version;
  const key = rowKey("value", place.threadId, place.checkpointNs, place.channel, version);
  return { key, isOwn: version === place.version };
}

/** The problems of a write. Writes without a checkpoint are reported once for each task, at its first write. */
export async function problemsOfWrite(
  row: CheckedWriteRow,
  reader: ValueReader,
  previous: CheckedWriteRow | undefined,
): Promise<FoundProblem[]> {
  const place = writePlaceOf(row);
  const { idx: _idx, channel: _channel, ...task } = place;
  const failure = await failureOf(row, place, reader);
  const faults = faultsOfWrite(row);
  const isReported = previous !== undefined && !previous.has_checkpoint && isSameTask(row, previous);
  const reasons = [...(failure === undefined ? [] : [failure.problem]), ...faults];
  return [
    ...(reasons.length === 0
      ? []
      : [error(failure === undefined ? "corrupt-write" : "undecodable-write", place, reasons.join("; "))]),
    ...(row.has_checkpoint || isReported || row.checkpoint_id === "" ? [] : [strayWrites(task)]),
  ];
}

/** Several tasks may have written beside the same checkpoint. */
function strayWrites(task: CheckpointKey & { readonly taskId: string }): FoundProblem {
  const key = rowKey("stray", task.threadId, task.checkpointNs, task.checkpointId);
  return notice("stray-writes", task, "the checkpoint that the task wrote beside is not stored", {
    key,
    isOwn: false,
  });
}

function isSameTask(a: CheckedWriteRow, b: CheckedWriteRow): boolean {
  return (
    a.thread_id === b.thread_id &&
    a.checkpoint_ns === b.checkpoint_ns &&
    a.checkpoint_id === b.checkpoint_id &&
    a.task_id === b.task_id
  );
}

/** Why a value can't be decoded; `undefined` if it can. */
async function failureOf(
  row: Pick<CheckedWriteRow, "type" | "blob">,
  place: CheckpointValueContext,
  reader: ValueReader,
): Promise<DeserializationError | undefined> {
  try {
    await decodeValue(reader, storedValueOf(row.type, row.blob), place, place);
    return undefined;
  } catch (reason) {
    if (reason instanceof DeserializationError) return reason;
    throw reason;
  }
}

/**
 * Finds the version to blame for a value that can't be read: of the values that it is made of, the last one that can't be read itself, or
 * that is not stored. Where values are made of each other it is the first of them in the order of their texts.
 */
async function causeOfFailure(place: ChannelValueContext, reader: ValueReader): Promise<string> {
  const rows = await reader.fetchChain(place);
  const seen = new Set<string>();
  let { version } = place;
  for (;;) {
    seen.add(version);
    const base = rows(version)?.base ?? null;
    if (base === null || (await isReadable({ ...place, version: base }, rows, reader))) return version;
    if (seen.has(base)) return [...seen].toSorted()[0] ?? base;
    version = base;
  }
}

async function isReadable(
  place: ChannelValueContext,
  rows: ChainRows,
  reader: ValueReader,
): Promise<boolean> {
  const row = rows(place.version);
  if (row === undefined) return false;
  return canRead(() => decodeValue(reader, { ...row, chain: rows }, place, place));
}
