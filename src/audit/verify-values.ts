import { DeserializationError } from "../errors/index.js";
import type { ValueContext } from "../serde/serde-context.js";
import { decodeValue, type ValueReader } from "../saver/codec/decode-value.js";
import { storedValueOf } from "../saver/codec/stored-value.js";
import type { BlobPageRow, WriteKey, WritePageRow } from "../saver/queries/get-value-page.js";
import type { Problem } from "./audit-types.js";
import { error, notice } from "./problems.js";

/** What is wrong with a value of a checkpoint. */
export async function problemsOfBlob(row: BlobPageRow, reader: ValueReader): Promise<Problem[]> {
  if (row.type === "empty") return [];
  const place = blobKeyOf(row);
  const failure = await failureOf(row, place, reader);
  return failure === undefined ? [] : [error("undecodable-value", place, failure)];
}

export function blobKeyOf(row: BlobPageRow) {
  const { thread_id: threadId, checkpoint_ns: checkpointNs, channel, version } = row;
  return { threadId, checkpointNs, channel, version };
}

/** What is wrong with a write. Without its checkpoint it is told of once for each task, at its first write. */
export async function problemsOfWrite(
  row: WritePageRow,
  reader: ValueReader,
  previous: WritePageRow | undefined,
): Promise<Problem[]> {
  const { idx, ...task } = writeKeyOf(row);
  const place = { ...task, channel: row.channel };
  const failure = await failureOf(row, { ...place, idx }, reader);
  const isTold = previous !== undefined && !previous.has_checkpoint && isSameTask(row, previous);
  return [
    ...(failure === undefined ? [] : [error("undecodable-write", place, failure)]),
    ...(row.has_checkpoint || isTold ? [] : [notice("stray-writes", task, strayMessage(row))]),
  ];
}

export function writeKeyOf(row: WritePageRow): WriteKey {
  const { thread_id: threadId, checkpoint_ns: checkpointNs, checkpoint_id: checkpointId, idx } = row;
  return { threadId, checkpointNs, checkpointId, taskId: row.task_id, idx };
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

/** Why a value can't be decoded; `undefined` where it can. */
async function failureOf(
  row: BlobPageRow | WritePageRow,
  place: ValueContext,
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
