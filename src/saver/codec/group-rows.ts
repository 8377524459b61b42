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
  chained: ChainedRead,
): TupleParts | undefined {
  const owner: RowOwner = { namespace, place: "", checkpoint: "" };
  const [tuple] = groupRows(rows, { partOf: (row) => row, ownerOf: () => owner }, chained);
  return tuple;
}

/** Groups the rows of a page by checkpoint, in the order of their `checkpoint` rows. */
export function groupPage(rows: readonly PageRow[], chained: ChainedRead): TupleParts[] {
  return groupRows(rows, { partOf: ({ row }) => row, ownerOf: ownerOfPageRow }, chained);
}

function ownerOfPageRow({
  thread_id: threadId,
  checkpoint_ns: checkpointNs,
  checkpoint_id,
}: PageRow): RowOwner {
  const place = identity(threadId, checkpointNs);
  return { namespace: { threadId, checkpointNs }, place, checkpoint: identity(place, checkpoint_id) };
}

/** What a row belongs to. */
interface RowOwner {
  readonly namespace: NamespaceKey;
  /** Identifies the namespace among those of the rows. */
  readonly place: string;
  /** Identifies the checkpoint. A value has none, since several may share it. */
  readonly checkpoint: string;
}

interface RowReader<Row> {
  readonly partOf: (row: Row) => TupleRow;
  readonly ownerOf: (row: Row) => RowOwner;
}

function groupRows<Row>(
  rows: readonly Row[],
  { partOf, ownerOf }: RowReader<Row>,
  { followsChains }: ChainedRead,
): TupleParts[] {
  const blobs = new Map<string, StoredValue>();
  const writes = new Map<string, StoredWrite[]>();
  const sends = new Map<string, StoredWrite[]>();
  const headers: { readonly part: CheckpointRow; readonly owner: RowOwner }[] = [];
  for (const row of rows) {
    const part = partOf(row);
    const owner = ownerOf(row);
    if (part.part === "checkpoint") headers.push({ part, owner });
    else if (part.part === "value")
      blobs.set(
        identity(owner.place, part.channel, part.version),
        storedValueOf(part.type, part.blob, part.base),
      );
    else append(part.part === "write" ? writes : sends, owner.checkpoint, storedWriteOf(part));
  }
  return headers.map(({ part, owner: { namespace, place, checkpoint } }) => {
    const { threadId, checkpointNs } = namespace;
    const key = { threadId, checkpointNs, checkpointId: part.checkpoint_id };
    const rowOf = (channel: string, version: string) => blobs.get(identity(place, channel, version));
    return {
      ...headerOf(part, key),
      key,
      blobOf: followsChains === true ? withChains(rowOf) : rowOf,
      writes: (writes.get(checkpoint) ?? []).sort(compareWrites),
      sends: (sends.get(checkpoint) ?? []).sort(compareWrites),
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
