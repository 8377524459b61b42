import { ConcurrentModificationError } from "../../errors.js";
import type { EncodedCheckpoint } from "../queries/put-checkpoint.js";
import type { HeadRow } from "../queries/select-heads.js";
import { compareText } from "./compare-text.js";
import type { BatchOperation } from "./resolve-batch.js";

/** The checkpoints that must follow the newest one of their namespace: all but those that branch off on purpose. */
export function successors(operations: readonly BatchOperation[]): EncodedCheckpoint[] {
  return operations.flatMap((operation) =>
    operation.kind === "put" && !operation.checkpoint.branches ? [operation.checkpoint] : [],
  );
}

/**
 * Goes through operations as if they were done one by one, and refuses the first checkpoint whose parent is no longer the
 * newest of its namespace. One that is stored already may be put again: it may be a retry whose first answer was lost.
 *
 * @param heads - What the database has, for each of the {@link successors}.
 * @throws ConcurrentModificationError naming the parent and the checkpoint that came in between.
 */
export function refuseStale(operations: readonly BatchOperation[], heads: readonly HeadRow[]): void {
  const stored = new Set<string>();
  const newest = new Map<string, string | null>();
  for (const row of heads) {
    newest.set(keyOf(row.thread_id, row.checkpoint_ns), row.head_checkpoint_id);
    if (row.is_stored) stored.add(keyOf(row.thread_id, row.checkpoint_ns, row.checkpoint_id));
  }
  for (const operation of operations) {
    if (operation.kind === "deleteThread") forget(operation.threadId, newest, stored);
    if (operation.kind !== "put") continue;
    const { checkpoint } = operation;
    const { threadId, checkpointNs, checkpointId, parentCheckpointId } = checkpoint;
    const key = keyOf(threadId, checkpointNs);
    const head = newest.get(key) ?? null;
    const isStored = stored.has(keyOf(threadId, checkpointNs, checkpointId));
    if (!checkpoint.branches && !isStored && head !== null && head !== parentCheckpointId) {
      throw new ConcurrentModificationError({
        threadId,
        checkpointNs,
        checkpointId,
        parentCheckpointId: parentCheckpointId ?? undefined,
        headCheckpointId: head,
      });
    }
    stored.add(keyOf(threadId, checkpointNs, checkpointId));
    if (head === null || compareText(checkpointId, head) > 0) newest.set(key, checkpointId);
  }
}

function forget(threadId: string, newest: Map<string, unknown>, stored: Set<string>): void {
  const beginning = keyOf(threadId, "");
  for (const key of newest.keys()) if (key.startsWith(beginning)) newest.delete(key);
  for (const key of stored) if (key.startsWith(beginning)) stored.delete(key);
}

// No key holds U+0000, so that no two can run together.
function keyOf(...parts: string[]): string {
  return parts.join("\0");
}
