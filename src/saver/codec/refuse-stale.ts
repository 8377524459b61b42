import { ConcurrentModificationError } from "../../errors/index.js";
import type { EncodedCheckpoint } from "../queries/encoded-checkpoint.js";
import type { HeadRow } from "../queries/select-heads.js";
import { compareText } from "../model/compare-text.js";
import type { BatchOperation } from "./resolve-batch.js";
import { rowKey } from "../model/row-key.js";

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
