import type { CheckpointTables } from "../../db/checkpoint-tables.js";
import type { NamespaceKey } from "../checkpoint-key.js";
import { selectAllReaders } from "../queries/prune/select-lineage.js";

/**
 * The checkpoints of a namespace, there or not, whose sends one before version 4 of the format reads.
 *
 * @param going - Those that don't count, as if they were gone already.
 */
export async function sendersKept(
  tables: CheckpointTables,
  namespace: NamespaceKey,
  going: readonly string[],
): Promise<Set<string>> {
  const isGoing = new Set(going);
  const readers = await selectAllReaders(tables, namespace);
  return new Set(
    readers.flatMap(({ checkpoint_id, parent_checkpoint_id }) =>
      isGoing.has(checkpoint_id) ? [] : [parent_checkpoint_id],
    ),
  );
}
