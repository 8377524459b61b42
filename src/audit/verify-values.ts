import { DeserializationError } from "../errors/index.js";
import type { CheckpointValueContext } from "../serde/serde-context.js";
import { decodeValue, type ValueReader } from "../saver/codec/decode-value.js";
import { storedValueOf } from "../saver/codec/stored-value.js";
import {
  blobPlaceOf,
  type BlobPageRow,
  writePlaceOf,
  type WritePageRow,
} from "../saver/queries/get-value-page.js";
import type { Problem } from "./audit-types.js";
import { error, notice } from "./problems.js";

/** The problems of a checkpoint's value. */
export async function problemsOfBlob(row: BlobPageRow, reader: ValueReader): Promise<Problem[]> {
  if (row.type === "empty") return [];
  const place = blobPlaceOf(row);
  const failure = await failureOf(row, place, reader);
  return failure === undefined ? [] : [error("undecodable-value", place, failure)];
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
    ...(failure === undefined ? [] : [error("undecodable-write", place, failure)]),
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
): Promise<string | undefined> {
  try {
    await decodeValue(reader, storedValueOf(row.type, row.blob), place, place);
    return undefined;
  } catch (reason) {
    if (reason instanceof DeserializationError) return reason.message;
    throw reason;
  }
}
