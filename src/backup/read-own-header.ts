import { CorruptCheckpointError } from "../errors/index.js";
import { type HeaderColumns, readHeader, type ReadHeader } from "../saver/codec/parse-header.js";
import type { CheckpointKey } from "../saver/model/keys.js";

/**
 * Reads the header and the metadata of a checkpoint.
 *
 * @throws UnreadableError when the row holds no checkpoint, or another one.
 */
export async function readOwnHeader(columns: HeaderColumns, key: CheckpointKey): Promise<ReadHeader> {
  const read = await readHeader(columns, key);
  if (read.header.id === key.checkpointId) return read;
  throw new CorruptCheckpointError(`its header is that of checkpoint "${read.header.id}"`, key);
}
