import { CheckpointError } from "../../errors/index.js";
import { rowKey } from "../model/keys.js";
import { type HeldRow, NO_VERSIONS, type ParentKey } from "../queries/hold-parents.js";
import type { EncodedCheckpoint } from "../queries/checkpoint-rows.js";
import { type BatchOperation, threadOf } from "./resolve-batch.js";

/** The checkpoints among some operations that require their parent, because they reference its values (C3). */
export interface RequiredParents {
  /** Checkpoints whose parent must be stored already. */
  readonly stored: readonly RequiredParent[];
  /** Checkpoints whose parent an earlier operation deletes, or puts without a value that they reference. */
  readonly orphans: readonly EncodedCheckpoint[];
}

/** A checkpoint and the parent that it requires. */
export interface RequiredParent {
  readonly checkpoint: EncodedCheckpoint;
  readonly parent: ParentKey;
}

/**
 * Finds the parents that operations require. It leaves out a checkpoint whose parent an earlier operation puts, and one that
 * a later operation deletes.
 */
export function requiredParents(operations: readonly BatchOperation[]): RequiredParents {
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
  return { stored: all.flatMap((puts) => puts.stored), orphans: all.flatMap((puts) => puts.orphans) };
}

/** What the operations so far put into a thread. */
interface ThreadPuts {
  /** Whether an operation has deleted the thread. */
  readonly isDeleted: boolean;
  /** The checkpoints that operations put, by {@link rowKey}. */
  readonly put: Map<string, EncodedCheckpoint>;
  readonly stored: RequiredParent[];
  readonly orphans: EncodedCheckpoint[];
}

function newThreadPuts(isDeleted: boolean): ThreadPuts {
  return { isDeleted, put: new Map(), stored: [], orphans: [] };
}

function addPut({ isDeleted, put, stored, orphans }: ThreadPuts, checkpoint: EncodedCheckpoint): void {
  const { threadId, checkpointNs, checkpointId, parentCheckpointId, requiresParent } = checkpoint;
  if (requiresParent && parentCheckpointId !== null) {
    const parent = put.get(rowKey(checkpointNs, parentCheckpointId));
    const isOrphan = parent === undefined ? isDeleted : !hasReferenced(parent, checkpoint);
    if (isOrphan) orphans.push(checkpoint);
    else if (parent === undefined) {
      const requiredVersions = JSON.stringify(checkpoint.referencedVersions);
      stored.push({
        checkpoint,
        parent: { threadId, checkpointNs, checkpointId: parentCheckpointId, requiredVersions },
      });
    }
  }
  put.set(rowKey(checkpointNs, checkpointId), checkpoint);
}

function hasReferenced({ versions }: EncodedCheckpoint, { referencedVersions }: EncodedCheckpoint): boolean {
  return Object.entries(referencedVersions).every(([channel, version]) => versions[channel] === version);
}

/** Rolls back a transaction because the parents of these checkpoints are gone, or lack a value that they reference. It never reaches a caller of the saver. */
export class MissingParents extends CheckpointError {
  override name = "MissingParents";
  readonly checkpoints: readonly EncodedCheckpoint[];

  constructor(checkpoints: readonly EncodedCheckpoint[]) {
    super("MISSING_PARENTS", "the parent of a checkpoint is not stored");
    this.checkpoints = checkpoints;
  }
}

/** @throws MissingParents where a parent is not among the locked rows. */
export function requireHeld(required: readonly RequiredParent[], rows: readonly HeldRow[]): void {
  const held = new Set(
    rows.map((row) => rowKey(row.thread_id, row.checkpoint_ns, row.checkpoint_id, row.required_versions)),
  );
  const missing = required.filter(({ parent }) => !held.has(keyOf(parent)));
  if (missing.length > 0) throw new MissingParents(missing.map(({ checkpoint }) => checkpoint));
}

function keyOf({ threadId, checkpointNs, checkpointId, requiredVersions = NO_VERSIONS }: ParentKey): string {
  return rowKey(threadId, checkpointNs, checkpointId, requiredVersions);
}
