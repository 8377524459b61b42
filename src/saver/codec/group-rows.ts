import { type CheckpointKey, type NamespaceKey, compareText } from "../model/keys.js";
import type { CheckpointRow, PageRow, TupleRow, WriteRow } from "../queries/tuple-row.js";
import type { FoundValue } from "./decode-value.js";
import { requiredColumn } from "./parse-header.js";
import { type StoredValue, storedValueOf } from "./stored-value.js";

/** The parts of the tuple of one checkpoint. */
export interface TupleParts {
  readonly key: CheckpointKey;
  readonly parentCheckpointId: string | null;
  /** The header, as JSON text. */
  readonly checkpoint: string;
  /** The metadata, as JSON text. */
  readonly metadata: string;
  /** Returns the blob of a channel at a version, where one is stored. */
  readonly blobOf: (channel: string, version: string) => FoundValue | undefined;
  /** The pending writes, ordered by task path, task and position. */
  readonly writes: readonly StoredWrite[];
  /** The writes that hold the sends of a checkpoint before version 4 of the format, in the same order. */
  readonly sends: readonly StoredWrite[];
}

/** A pending write as it is stored. */
export interface StoredWrite extends StoredValue, WriteOrder {
  readonly channel: string;
}

/** Groups the rows of one checkpoint. Returns `undefined` where there are none. */
export function groupTuple(
  rows: readonly TupleRow[],
  namespace: NamespaceKey,
  { followsChains }: ChainedRead,
): TupleParts | undefined {
  const blobs = new Map<string, StoredValue>();
  const writes: StoredWrite[] = [];
  const sends: StoredWrite[] = [];
  let header: CheckpointRow | undefined;
  for (const row of rows) {
    if (row.part === "checkpoint") header = row;
    else if (row.part === "value")
      blobs.set(identity(row.channel, row.version), storedValueOf(row.type, row.blob, row.base));
    else if (row.part === "write") writes.push(storedWriteOf(row));
    else sends.push(storedWriteOf(row));
  }
  if (header === undefined) return undefined;
  const { threadId, checkpointNs } = namespace;
  const key = { threadId, checkpointNs, checkpointId: header.checkpoint_id };
  const rowOf = (channel: string, version: string) => blobs.get(identity(channel, version));
  return {
    ...headerOf(header, key),
    key,
    blobOf: followsChains === true ? withChains(rowOf) : rowOf,
    writes: writes.sort(compareWrites),
    sends: sends.sort(compareWrites),
  };
}

/** Groups the rows of a page by checkpoint, in the order of their `checkpoint` rows. */
export function groupPage(rows: readonly PageRow[], { followsChains }: ChainedRead): TupleParts[] {
  const blobs = new Map<string, StoredValue>();
  const writes = new Map<string, StoredWrite[]>();
  const sends = new Map<string, StoredWrite[]>();
  const headers: { readonly row: CheckpointRow; readonly namespace: NamespaceKey }[] = [];
  for (const { thread_id: threadId, checkpoint_ns: checkpointNs, checkpoint_id, row } of rows) {
    if (row.part === "checkpoint") headers.push({ row, namespace: { threadId, checkpointNs } });
    else if (row.part === "value")
      blobs.set(
        identity(threadId, checkpointNs, row.channel, row.version),
        storedValueOf(row.type, row.blob, row.base),
      );
    else
      append(
        row.part === "write" ? writes : sends,
        identity(threadId, checkpointNs, checkpoint_id),
        storedWriteOf(row),
      );
  }
  return headers.map(({ row, namespace }) => {
    const { threadId, checkpointNs } = namespace;
    const key = { threadId, checkpointNs, checkpointId: row.checkpoint_id };
    const id = identity(threadId, checkpointNs, row.checkpoint_id);
    const rowOf = (channel: string, version: string) =>
      blobs.get(identity(threadId, checkpointNs, channel, version));
    return {
      ...headerOf(row, key),
      key,
      blobOf: followsChains === true ? withChains(rowOf) : rowOf,
      writes: (writes.get(id) ?? []).sort(compareWrites),
      sends: (sends.get(id) ?? []).sort(compareWrites),
    };
  });
}

/** How the rows were read. */
interface ChainedRead {
  /** Whether they contain the values that splices are made of. */
  readonly followsChains?: boolean;
}

/** Adds to each value the rows that it may be made of. */
function withChains(
  rowOf: (channel: string, version: string) => StoredValue | undefined,
): TupleParts["blobOf"] {
  return (channel, version) => {
    const row = rowOf(channel, version);
    return row && { ...row, chain: (each) => rowOf(channel, each) };
  };
}

function headerOf(row: CheckpointRow, key: CheckpointKey) {
  return {
    parentCheckpointId: row.parent_checkpoint_id,
    checkpoint: requiredColumn(row.checkpoint, "checkpoint", key),
    metadata: requiredColumn(row.metadata, "metadata", key),
  };
}

function storedWriteOf({ type, blob, channel, task_id, task_path, idx }: WriteRow): StoredWrite {
  return { ...storedValueOf(type, blob), channel, taskId: task_id, taskPath: task_path, idx };
}

// Text in Postgres contains no U+0000, so two different keys never give the same text.
function identity(...parts: (string | null)[]): string {
  return parts.join("\0");
}

function append(map: Map<string, StoredWrite[]>, key: string, write: StoredWrite): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [write]);
  else known.push(write);
}

/** The columns that decide the order of the writes of a checkpoint. */
export interface WriteOrder {
  readonly taskPath: string;
  readonly taskId: string;
  readonly idx: number;
}

/**
 * Compares two writes of one checkpoint by task path, task and position; text by code point. LangGraph applies the
 * writes of a super-step in this order, so a replay must use it too. Writes without a task path come
 * first: inputs, and all writes of LangGraph.js before 1.5, which orders them by task alone.
 */
export function compareWrites(a: WriteOrder, b: WriteOrder): number {
  return compareText(a.taskPath, b.taskPath) || compareText(a.taskId, b.taskId) || a.idx - b.idx;
}
