import type { CallContext } from "../db/call-context.js";
import type { DeletionCandidates } from "./deletion-candidates.js";
import { selectAllSendReaders } from "./queries/select-send-readers.js";

/**
 * Finds the checkpoints of each namespace, stored or not, whose sends a checkpoint of a format before version 4 reads.
 *
 * @param namespaces - With the checkpoints that don't count as readers, as if they were deleted already.
 */
export async function findKeptSenders(
  call: CallContext,
  namespaces: readonly DeletionCandidates[],
): Promise<Set<string>[]> {
  const readers = await selectAllSendReaders(
    call,
    namespaces.map(({ key }) => key),
  );
  return namespaces.map(({ ids }, at) => {
    const deleted = new Set(ids);
    const reading = (readers[at] ?? []).filter(({ checkpoint_id }) => !deleted.has(checkpoint_id));
    return new Set(reading.map(({ parent_checkpoint_id }) => parent_checkpoint_id));
  });
}
