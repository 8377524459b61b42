import type { CallContext } from "../db/call-context.js";
import { selectAllReaders } from "./queries/select-lineage.js";
import type { DoomedNamespace } from "./doomed-namespace.js";

/**
 * The checkpoints of each namespace, there or not, whose sends one before version 4 of the format reads.
 *
 * @param namespaces - With the checkpoints that don't count, as if they were gone already.
 */
export async function sendersKept(
  call: CallContext,
  namespaces: readonly DoomedNamespace[],
): Promise<Set<string>[]> {
  const readers = await selectAllReaders(
    call,
    namespaces.map(({ key }) => key),
  );
  return namespaces.map(({ ids }, at) => {
    const isGoing = new Set(ids);
    const reading = (readers[at] ?? []).filter(({ checkpoint_id }) => !isGoing.has(checkpoint_id));
    return new Set(reading.map(({ parent_checkpoint_id }) => parent_checkpoint_id));
  });
}
