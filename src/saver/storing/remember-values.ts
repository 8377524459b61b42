import type { SaverCall } from "../call/saver-call.js";
import type { EncodedCheckpoint } from "../queries/encoded-checkpoint.js";

/**
 * Remembers the values of a checkpoint that was stored, for the next one. Where a row of the same key was stored before, nobody
 * knows which value it has: then nothing is remembered.
 *
 * @param inserted - How many values were inserted, where this is known.
 */
export function rememberValues(
  { policy: { memory } }: SaverCall,
  checkpoint: EncodedCheckpoint,
  inserted: number | undefined,
): void {
  const { chained, blobs, threadId, checkpointNs, parentCheckpointId } = checkpoint;
  if (memory === undefined || chained === undefined || chained.size === 0) return;
  if (inserted !== blobs.filter(({ isCarried }) => isCarried !== true).length) return;
  const parent =
    parentCheckpointId === null ? undefined : { threadId, checkpointNs, checkpointId: parentCheckpointId };
  memory.remember(checkpoint, chained, parent);
}
