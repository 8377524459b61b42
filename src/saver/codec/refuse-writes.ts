import { ConcurrentModificationError, ThreadDeletedError } from "../../errors/index.js";
import type { EncodedCheckpoint } from "../queries/checkpoint-rows.js";
import type { HeadRow } from "../queries/select-heads.js";
import { compareText, rowKey } from "../model/keys.js";
import { type BatchOperation, threadOf } from "./resolve-batch.js";
import type { TombstoneRow } from "../queries/tombstones.js";
import { aheadBy, type ClockRule } from "../clock/clock-rule.js";
import { timeInId } from "../model/checkpoint-time.js";
import { groupBy } from "../../db/group-by.js";
import type { StoredCheckpoint } from "../queries/remove-older.js";

/**
 * Returns the checkpoints that must follow the newest one of their namespace: all but those that branch off on
 * purpose.
 */
export function successors(operations: readonly BatchOperation[]): EncodedCheckpoint[] {
  return operations.flatMap((operation) =>
    operation.kind === "put" && !operation.checkpoint.branches ? [operation.checkpoint] : [],
  );
}

/**
 * Applies operations one by one, and refuses the first checkpoint whose parent is not the newest of its namespace, or
 * that would not become the newest itself. A stored checkpoint may be put again, because that may be a retry after a
 * lost answer.
 *
 * @param heads - The stored heads of the namespaces of the {@link successors}.
 * @throws ConcurrentModificationError naming the parent and the checkpoint that came in between.
 */
export function refuseStale(operations: readonly BatchOperation[], heads: readonly HeadRow[]): void {
  const stored = new Set<string>();
  const newest = new Map<string, Head>();
  for (const row of heads) {
    const head = headOf(row);
    if (head !== undefined) newest.set(rowKey(row.thread_id, row.checkpoint_ns), head);
    if (row.is_stored) stored.add(rowKey(row.thread_id, row.checkpoint_ns, row.checkpoint_id));
  }
  for (const operation of operations) {
    if (operation.kind === "deleteThread") forget(operation.threadId, newest, stored);
    if (operation.kind !== "put") continue;
    const { checkpoint } = operation;
    const { threadId, checkpointNs, checkpointId, parentCheckpointId } = checkpoint;
    const key = rowKey(threadId, checkpointNs);
    const ownKey = rowKey(threadId, checkpointNs, checkpointId);
    const head = newest.get(key);
    if (!checkpoint.branches && !stored.has(ownKey) && head !== undefined && !follows(checkpoint, head)) {
      throw new ConcurrentModificationError({
        threadId,
        checkpointNs,
        checkpointId,
        parentCheckpointId: parentCheckpointId ?? undefined,
        headCheckpointId: head.id,
      });
    }
    if (head === undefined || compareText(checkpointId, head.id) > 0) {
      newest.set(key, { id: checkpointId, parentId: parentCheckpointId });
    }
    stored.add(ownKey);
  }
}

/** The newest checkpoint of a namespace. */
interface Head {
  readonly id: string;
  readonly parentId: string | null;
}

function headOf({ head_checkpoint_id: id, head_parent_checkpoint_id: parentId }: HeadRow): Head | undefined {
  return id === null ? undefined : { id, parentId };
}

/**
 * Whether a checkpoint continues the line that ends with `head`. With an older id it would never be the newest, and
 * any number of checkpoints could follow the same one. LangGraph may put the first two checkpoints of a thread
 * concurrently, so that the second is stored before its parent.
 */
function follows({ checkpointId, parentCheckpointId }: EncodedCheckpoint, head: Head): boolean {
  const order = compareText(checkpointId, head.id);
  if (parentCheckpointId === null) return order < 0 && head.parentId === checkpointId;
  return order > 0 && parentCheckpointId === head.id;
}

function forget(threadId: string, newest: Map<string, unknown>, stored: Set<string>): void {
  const beginning = rowKey(threadId, "");
  for (const key of newest.keys()) if (key.startsWith(beginning)) newest.delete(key);
  for (const key of stored) if (key.startsWith(beginning)) stored.delete(key);
}

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

/** How a saver that keeps the newest checkpoints checks new ones. */
export interface KeepingRule {
  readonly keepLast: number;
  readonly clock: ClockRule;
}

/**
 * Refuses a checkpoint that would be deleted at once because newer ones are kept, where this machine's clock has not passed the newest of
 * them (C17). An older checkpoint that an application moves, or that of a run which was slower than another one, is not refused.
 *
 * @param stored - The checkpoints that are stored.
 * @throws ClockBehindError unless the saver only warns.
 */
export function refuseUnkept(
  checkpoints: readonly EncodedCheckpoint[],
  stored: readonly StoredCheckpoint[],
  { keepLast, clock }: KeepingRule,
): void {
  const byNamespace = groupBy(stored, (row) => rowKey(row.thread_id, row.checkpoint_ns));
  for (const { threadId, checkpointNs, checkpointId } of checkpoints) {
    const ids = (byNamespace.get(rowKey(threadId, checkpointNs)) ?? []).map((row) => row.checkpoint_id);
    const newer = ids.filter((id) => id > checkpointId);
    if (newer.length < keepLast || ids.includes(checkpointId) || timeInId(checkpointId) === undefined)
      continue;
    const newest = newer.reduce((a, b) => (a > b ? a : b));
    const behindMs = (timeInId(newest)?.getTime() ?? -Infinity) - Date.now();
    if (behindMs <= 0) continue;
    clock.refuse(
      { threadId, checkpointNs, checkpointId },
      behindMs,
      `checkpoint "${checkpointId}" would be deleted at once, since "${newest}" is ${aheadBy(behindMs)}`,
    );
  }
}
