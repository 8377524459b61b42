import { ThreadDeletedError } from "../../errors/index.js";
import type { TombstoneRow } from "../queries/tombstones.js";
import { type BatchOperation, threadOf } from "./resolve-batch.js";

/** The threads that operations write to. */
export function writtenThreads(operations: readonly BatchOperation[]): string[] {
  return operations.flatMap((operation) => (operation.kind === "deleteThread" ? [] : [threadOf(operation)]));
}

/**
 * Refuses the first write to a thread that is deleted for good, be it by one of the operations before it.
 *
 * @param tombstones - Of the threads that are written to, those that the database knows to be deleted.
 * @throws ThreadDeletedError naming the thread.
 */
export function refuseDeleted(
  operations: readonly BatchOperation[],
  tombstones: readonly TombstoneRow[],
): void {
  const deletedAt = new Map(tombstones.map((row) => [row.thread_id, new Date(row.deleted_at_ms)]));
  for (const operation of operations) {
    const threadId = threadOf(operation);
    const date = deletedAt.get(threadId);
    if (operation.kind === "deleteThread") deletedAt.set(threadId, date ?? new Date());
    else if (date !== undefined) throw new ThreadDeletedError(threadId, date);
  }
}
