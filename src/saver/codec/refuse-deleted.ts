import { ThreadDeletedError } from "../../errors/index.js";
import type { TombstoneRow } from "../queries/tombstones.js";
import { type BatchOperation, threadOf } from "./resolve-batch.js";

/** Returns the threads that operations write to. */
export function writtenThreads(operations: readonly BatchOperation[]): string[] {
  return operations.flatMap((operation) => (operation.kind === "deleteThread" ? [] : [threadOf(operation)]));
}

/**
 * Refuses the first write to a thread that has a tombstone, or that an earlier operation deletes.
 *
 * @param tombstones - The tombstones of the threads that the operations write to.
 * @throws ThreadDeletedError naming the thread.
 */
export function refuseDeleted(
  operations: readonly BatchOperation[],
  tombstones: readonly TombstoneRow[],
): void {
  const deletedAt = new Map(tombstones.map((row) => [row.thread_id, deletionDate(row)]));
  for (const operation of operations) {
    const threadId = threadOf(operation);
    const date = deletedAt.get(threadId);
    if (operation.kind === "deleteThread") deletedAt.set(threadId, date ?? new Date());
    else if (date !== undefined) throw new ThreadDeletedError(threadId, date);
  }
}

/** @throws ThreadDeletedError naming the thread of the first tombstone, if there is one. */
export function refuseTombstones([first]: readonly TombstoneRow[]): void {
  if (first !== undefined) throw new ThreadDeletedError(first.thread_id, deletionDate(first));
}

function deletionDate({ deleted_at_ms }: TombstoneRow): Date {
  return new Date(Number(deleted_at_ms));
}
