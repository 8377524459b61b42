import type { CallContext } from "../db/call-context.js";
import type { ContextualSerializer } from "../serde/serde-context.js";
import type { CheckpointTarget } from "./boundary/parse-audit.js";
import { decodeValue, type ValueReader } from "../saver/codec/decode-value.js";
import { storedValueOf } from "../saver/codec/stored-value.js";
import type { NamespaceKey } from "../saver/model/keys.js";
import { valueReader, readUnreplaced } from "../saver/read-long-values.js";
import { getWrites, type RecordedWriteRow } from "./queries/recorded-writes.js";
import type { TaskWrite } from "./audit-types.js";

/** Reads the writes beside a checkpoint; see `writesOf` of the savers. */
export function taskWritesOf(
  call: CallContext,
  target: CheckpointTarget,
  serde: ContextualSerializer,
): Promise<TaskWrite[]> {
  return readUnreplaced(async () => {
    const reader = valueReader(call, serde);
    const rows = await getWrites(call, target);
    return Promise.all(rows.map((row) => toTaskWrite(row, target, reader)));
  });
}

async function toTaskWrite(
  row: RecordedWriteRow,
  target: NamespaceKey,
  reader: ValueReader,
): Promise<TaskWrite> {
  const { task_id: taskId, task_path: taskPath, idx, channel, type, bytes } = row;
  return { taskId, taskPath, idx, channel, type, bytes, value: await decodeWrite(row, target, reader) };
}

/**
 * Decodes the value of a write.
 *
 * @throws DeserializationError, which names the checkpoint and the channel.
 */
export function decodeWrite(
  row: Omit<RecordedWriteRow, "bytes" | "task_path">,
  { threadId, checkpointNs }: NamespaceKey,
  reader: ValueReader,
): Promise<unknown> {
  const place = { threadId, checkpointNs, checkpointId: row.checkpoint_id, channel: row.channel };
  const context = { ...place, taskId: row.task_id, idx: row.idx };
  return decodeValue(reader, storedValueOf(row.type, row.blob), context, place);
}
