import { BrokenChainError, DeserializationError } from "../errors/index.js";
import type { CheckpointValueContext } from "../serde/serde-context.js";
import { decodeValue, type ValueReader } from "../saver/codec/decode-value.js";
import type { ReadValue } from "../saver/codec/read-chain.js";
import { storedValueOf } from "../saver/codec/stored-value.js";
import {
  blobPlaceOf,
  type BlobPageRow,
  writePlaceOf,
  type WritePageRow,
} from "../saver/queries/get-value-page.js";
import { MAX_CHAIN } from "../splices/value-chain.js";
import type { Problem } from "./audit-types.js";
import { error, notice } from "./problems.js";

/** The problems of a checkpoint's value. */
export async function problemsOfBlob(row: BlobPageRow, reader: ValueReader): Promise<Problem[]> {
  if (row.type === "empty") return [];
  const place = blobPlaceOf(row);
  let splices = 0;
  const inspect = (value: ReadValue): void => {
    splices = value.splices;
  };
  const failure = await failureOf(row, place, { ...reader, inspect });
  if (failure !== undefined) {
    const isBroken = failure instanceof BrokenChainError;
    return [error(isBroken ? "broken-chain" : "undecodable-value", place, failure.message)];
  }
  return splices > MAX_CHAIN ? [notice("long-chain", place, longChainMessage(row, splices))] : [];
}

function longChainMessage({ thread_id, channel, version }: BlobPageRow, splices: number): string {
  return (
    `thread "${thread_id}": channel "${channel}" at version "${version}" can be read, but it is made of ${splices} other values, ` +
    `and ${MAX_CHAIN} are the most that reads are meant for: compact makes the chain shorter`
  );
}

/** The problems of a write. Writes without a checkpoint are reported once for each task, at its first write. */
export async function problemsOfWrite(
  row: WritePageRow,
  reader: ValueReader,
  previous: WritePageRow | undefined,
): Promise<Problem[]> {
  const { idx, channel, ...task } = writePlaceOf(row);
  const place = { ...task, channel };
  const failure = await failureOf(row, { ...place, idx }, reader);
  const isReported = previous !== undefined && !previous.has_checkpoint && isSameTask(row, previous);
  return [
    ...(failure === undefined ? [] : [error("undecodable-write", place, failure.message)]),
    ...(row.has_checkpoint || isReported ? [] : [notice("stray-writes", task, strayMessage(row))]),
  ];
}

function isSameTask(a: WritePageRow, b: WritePageRow): boolean {
  return (
    a.thread_id === b.thread_id &&
    a.checkpoint_ns === b.checkpoint_ns &&
    a.checkpoint_id === b.checkpoint_id &&
    a.task_id === b.task_id
  );
}

function strayMessage({ thread_id, checkpoint_id, task_id }: WritePageRow): string {
  return `thread "${thread_id}": task "${task_id}" wrote beside checkpoint "${checkpoint_id}", which is not stored`;
}

/** Why a value can't be decoded; `undefined` if it can. */
async function failureOf(
  row: BlobPageRow | WritePageRow,
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
