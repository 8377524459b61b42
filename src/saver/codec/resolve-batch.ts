import type {
  BlobRow,
  CheckpointRows,
  HeaderRow,
  WriteRow,
  EncodedCheckpoint,
} from "../queries/checkpoint-rows.js";
import type { EncodedWrites } from "../queries/put-pending-writes.js";
import { rowKey } from "../model/keys.js";

/** One operation of a batch. */
export type BatchOperation =
  | { readonly kind: "put"; readonly checkpoint: EncodedCheckpoint }
  | { readonly kind: "putWrites"; readonly writes: EncodedWrites }
  | { readonly kind: "deleteThread"; readonly threadId: string };

/** Returns the thread of an operation. */
export function threadOf(operation: BatchOperation): string {
  if (operation.kind === "put") return operation.checkpoint.threadId;
  return operation.kind === "putWrites" ? operation.writes.threadId : operation.threadId;
}

/** Returns the checkpoints that operations put. */
export function checkpointsOf(operations: readonly BatchOperation[]): EncodedCheckpoint[] {
  return operations.flatMap((operation) => (operation.kind === "put" ? [operation.checkpoint] : []));
}

/** The effect of a batch: the threads whose stored rows are deleted, and the rows that are stored after that. */
export interface ResolvedBatch extends CheckpointRows {
  readonly deletedThreads: readonly string[];
}

/**
 * Computes what operations made one after another would leave behind, so that one statement can store it: no
 * statement can write a row twice. All rows are sorted by key, so concurrent writers can't deadlock (C2).
 */
export function resolveBatch(operations: readonly BatchOperation[]): ResolvedBatch {
  const threads = new Map<string, ThreadState>();
  const stateOf = (threadId: string): ThreadState => {
    const state = threads.get(threadId) ?? newState(false);
    threads.set(threadId, state);
    return state;
  };
  for (const operation of operations) {
    const threadId = threadOf(operation);
    if (operation.kind === "put") addCheckpoint(stateOf(threadId), operation.checkpoint);
    else if (operation.kind === "putWrites") addWrites(stateOf(threadId), operation.writes);
    else threads.set(threadId, newState(true));
  }
  const sorted = [...threads].sort(byKey);
  return {
    deletedThreads: sorted.flatMap(([threadId, { isDeleted }]) => (isDeleted ? [threadId] : [])),
    checkpoints: sorted.flatMap(([, { checkpoints }]) => sortedRows(checkpoints).map(({ row }) => row)),
    writes: sorted.flatMap(([, { writes }]) => sortedRows(writes)),
    blobs: sorted.flatMap(([, { blobs }]) => sortedRows(blobs)),
  };
}

/** What the operations so far did to a thread. Its rows are indexed by the rest of their keys. */
interface ThreadState {
  /** Whether the stored rows of the thread are deleted first. */
  readonly isDeleted: boolean;
  readonly checkpoints: Map<string, PutState>;
  readonly writes: Map<string, WriteRow>;
  readonly blobs: Map<string, BlobRow>;
}

interface PutState {
  readonly row: HeaderRow;
  readonly carriedInline: EncodedCheckpoint["carriedInline"];
  /** The stored checkpoints from whose headers unchanged values are copied, by channel. */
  readonly sources: Readonly<Record<string, string>>;
}

function newState(isDeleted: boolean): ThreadState {
  return { isDeleted, checkpoints: new Map(), writes: new Map(), blobs: new Map() };
}

/** Keeps the last header and metadata, the first parent, and the first value of a channel's version. */
function addCheckpoint(state: ThreadState, encoded: EncodedCheckpoint): void {
  const { blobs, carriedInline, ...header } = encoded;
  const { threadId, checkpointNs, checkpointId } = header;
  const key = rowKey(checkpointNs, checkpointId);
  const sources = sourcesOf(state, encoded);
  const { parentCheckpointId } = state.checkpoints.get(key)?.row ?? header;
  const row = { ...header, parentCheckpointId, inlineSources: JSON.stringify(sources) };
  state.checkpoints.set(key, { row, carriedInline, sources });
  for (const blob of blobs) {
    const blobKey = rowKey(checkpointNs, blob.channel, blob.version);
    if (!state.blobs.has(blobKey)) state.blobs.set(blobKey, { threadId, checkpointNs, ...blob });
  }
}

/**
 * Returns the checkpoints that unchanged values are copied from. The statement does not see a parent that it stores
 * itself. For such a parent it is the one that the parent's own value is copied from if that is the same value, and
 * none otherwise.
 */
function sourcesOf(state: ThreadState, encoded: EncodedCheckpoint): Record<string, string> {
  const { checkpointNs, parentCheckpointId, carriedInline } = encoded;
  if (parentCheckpointId === null) return {};
  const parent = state.checkpoints.get(rowKey(checkpointNs, parentCheckpointId));
  const sources = Object.entries(carriedInline).flatMap(([channel, value]) => {
    if (parent === undefined) return [[channel, parentCheckpointId] as const];
    const source = parent.sources[channel];
    return source === undefined || parent.carriedInline[channel] !== value
      ? []
      : [[channel, source] as const];
  });
  return Object.fromEntries(sources);
}

/** Keeps the first of each regular write, and the last of each special one. */
function addWrites(state: ThreadState, { writes, ...owner }: EncodedWrites): void {
  for (const write of writes) {
    const key = rowKey(owner.checkpointNs, owner.checkpointId, owner.taskId, String(write.idx));
    const known = state.writes.get(key);
    if (known === undefined) state.writes.set(key, { ...owner, ...write });
    else if (write.idx < 0) state.writes.set(key, { ...known, ...write });
  }
}

function sortedRows<Row>(rows: ReadonlyMap<string, Row>): Row[] {
  return [...rows].sort(byKey).map(([, row]) => row);
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
