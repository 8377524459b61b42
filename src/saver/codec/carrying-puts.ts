import { CheckpointError } from "../../errors/index.js";
import type { CheckpointKey } from "../model/checkpoint-key.js";
import type { HeldRow } from "../queries/hold-parents.js";
import type { EncodedCheckpoint } from "../queries/put-checkpoint.js";
import { type BatchOperation, threadOf } from "./resolve-batch.js";
import { rowKey } from "../model/row-key.js";

/** The puts of some calls that count on blobs which a stored parent refers to. */
export interface CarryingPuts {
  /** Those whose parent must be there. */
  readonly toHold: readonly CarryingPut[];
  /** Those whose parent the calls themselves delete first. */
  readonly orphaned: readonly EncodedCheckpoint[];
}

/** A checkpoint whose blobs may be another's. */
export interface CarryingPut {
  readonly checkpoint: EncodedCheckpoint;
  readonly parent: CheckpointKey;
}

/**
 * Looks for them. Those that follow a checkpoint of the same calls are left out, since that one has what they count on,
 * and those that are deleted by a later call.
 */
export function carryingPuts(operations: readonly BatchOperation[]): CarryingPuts {
  const threads = new Map<string, ThreadPuts>();
  for (const operation of operations) {
    const threadId = threadOf(operation);
    if (operation.kind === "deleteThread") threads.set(threadId, newThreadPuts(true));
    if (operation.kind !== "put") continue;
    const puts = threads.get(threadId) ?? newThreadPuts(false);
    threads.set(threadId, puts);
    addPut(puts, operation.checkpoint);
  }
  const all = [...threads.values()];
  return { toHold: all.flatMap((puts) => puts.toHold), orphaned: all.flatMap((puts) => puts.orphaned) };
}

/** What the calls so far have put into a thread. */
interface ThreadPuts {
  /** Whether what the database has of the thread goes first. */
  readonly isDeleted: boolean;
  /** By {@link rowKey}. */
  readonly stored: Set<string>;
  readonly toHold: CarryingPut[];
  readonly orphaned: EncodedCheckpoint[];
}

function newThreadPuts(isDeleted: boolean): ThreadPuts {
  return { isDeleted, stored: new Set(), toHold: [], orphaned: [] };
}

function addPut({ isDeleted, stored, toHold, orphaned }: ThreadPuts, checkpoint: EncodedCheckpoint): void {
  const { threadId, checkpointNs, checkpointId, parentCheckpointId } = checkpoint;
  const counts = checkpoint.carriedBlobs !== undefined && parentCheckpointId !== null;
  if (counts && !stored.has(rowKey(checkpointNs, parentCheckpointId))) {
    if (isDeleted) orphaned.push(checkpoint);
    else toHold.push({ checkpoint, parent: { threadId, checkpointNs, checkpointId: parentCheckpointId } });
  }
  stored.add(rowKey(checkpointNs, checkpointId));
}

/** Some checkpoints have no parent to take unchanged values from; they have to bring these along. */
export class OrphanedPutsError extends CheckpointError {
  readonly checkpoints: readonly EncodedCheckpoint[];

  constructor(checkpoints: readonly EncodedCheckpoint[]) {
    super("ORPHANED_PUTS", "the parent of a checkpoint is not stored");
    this.checkpoints = checkpoints;
  }
}

/** @throws OrphanedPutsError for those whose parent is not among the rows. */
export function refuseOrphans(puts: readonly CarryingPut[], rows: readonly HeldRow[]): void {
  const held = new Set(rows.map((row) => rowKey(row.thread_id, row.checkpoint_ns, row.checkpoint_id)));
  const orphaned = puts.filter(({ parent }) => !held.has(keyOf(parent)));
  if (orphaned.length > 0) throw new OrphanedPutsError(orphaned.map(({ checkpoint }) => checkpoint));
}

function keyOf({ threadId, checkpointNs, checkpointId }: CheckpointKey): string {
  return rowKey(threadId, checkpointNs, checkpointId);
}
