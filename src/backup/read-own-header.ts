import type { CheckpointMetadata } from "@langchain/langgraph-checkpoint";
import { CorruptCheckpointError } from "../errors/index.js";
import { type CheckpointHeader, parseHeader, parseStoredMetadata } from "../saver/codec/parse-header.js";
import { requiredColumn } from "../saver/codec/required-column.js";
import type { CheckpointKey } from "../saver/model/checkpoint-key.js";
import { decodeJsonb } from "../serde/jsonb/decode-jsonb.js";

/** The JSONB columns of a row of `checkpoints`, as text. */
export interface HeaderColumns {
  readonly checkpoint: string | null;
  readonly metadata: string | null;
}

/**
 * Reads the header and the metadata of a checkpoint.
 *
 * @throws UnreadableError when the row holds no checkpoint, or another one.
 */
export async function readHeader(
  { checkpoint, metadata }: HeaderColumns,
  key: CheckpointKey,
): Promise<{ readonly header: CheckpointHeader; readonly metadata: CheckpointMetadata }> {
  const header = parseHeader(
    await decodeJsonb(requiredColumn(checkpoint, "checkpoint", key), key, "header"),
    key,
  );
  if (header.id !== key.checkpointId) {
    throw new CorruptCheckpointError(`its header is that of checkpoint "${header.id}"`, key);
  }
  const parsed = parseStoredMetadata(await decodeJsonb(requiredColumn(metadata, "metadata", key), key), key);
  return { header, metadata: parsed };
}
