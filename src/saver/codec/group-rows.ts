import type { CheckpointKey, NamespaceKey } from "../model/checkpoint-key.js";
import type { PageRow, TupleRow } from "../queries/tuple-row.js";
import { compareWrites, type WriteOrder } from "./compare-writes.js";
import { requiredColumn } from "./required-column.js";
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
  readonly blobOf: (channel: string, version: string) => StoredValue | undefined;
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
export function groupTuple(rows: readonly TupleRow[], namespace: NamespaceKey): TupleParts | undefined {
  const blobs = new Map<string, StoredValue>();
  const writes: StoredWrite[] = [];
  const sends: StoredWrite[] = [];
  let header: TupleRow | undefined;
  for (const row of rows) {
    if (row.part === "checkpoint") header = row;
    else if (row.part === "value")
      blobs.set(identity(row.name, row.detail), storedValueOf(row.kind, row.blob));
    else if (row.part === "write") writes.push(storedWriteOf(row));
    else sends.push(storedWriteOf(row));
  }
  if (header === undefined) return undefined;
  const { threadId, checkpointNs } = namespace;
  const key = { threadId, checkpointNs, checkpointId: header.name };
  const blobOf = (channel: string, version: string) => blobs.get(identity(channel, version));
  return {
    ...headerOf(header, key),
    key,
    blobOf,
    writes: writes.sort(compareWrites),
    sends: sends.sort(compareWrites),
  };
}

/** Groups the rows of a page by checkpoint, in the order of their `checkpoint` rows. */
export function groupPage(rows: readonly PageRow[]): TupleParts[] {
  const blobs = new Map<string, StoredValue>();
  const writes = new Map<string, StoredWrite[]>();
  const sends = new Map<string, StoredWrite[]>();
  const headers: PageRow[] = [];
  for (const row of rows) {
    const { part, thread_id, checkpoint_ns, checkpoint_id, name, detail } = row;
    if (part === "checkpoint") headers.push(row);
    else if (part === "value")
      blobs.set(identity(thread_id, checkpoint_ns, name, detail), storedValueOf(row.kind, row.blob));
    else
      append(
        part === "write" ? writes : sends,
        identity(thread_id, checkpoint_ns, checkpoint_id),
        storedWriteOf(row),
      );
  }
  return headers.map((header) => {
    const { thread_id: threadId, checkpoint_ns: checkpointNs, name: checkpointId } = header;
    const key = { threadId, checkpointNs, checkpointId };
    const id = identity(threadId, checkpointNs, checkpointId);
    return {
      ...headerOf(header, key),
      key,
      blobOf: (channel, version) => blobs.get(identity(threadId, checkpointNs, channel, version)),
      writes: (writes.get(id) ?? []).sort(compareWrites),
      sends: (sends.get(id) ?? []).sort(compareWrites),
    };
  });
}

function headerOf({ detail, content, kind }: TupleRow, key: CheckpointKey) {
  return {
    parentCheckpointId: detail,
    checkpoint: requiredColumn(content, "checkpoint", key),
    metadata: requiredColumn(kind, "metadata", key),
  };
}

function storedWriteOf(row: TupleRow): StoredWrite {
  const { name: channel, detail: taskId, content: taskPath, idx } = row;
  return {
    ...storedValueOf(row.kind, row.blob),
    channel,
    taskId: taskId ?? "",
    taskPath: taskPath ?? "",
    idx: idx ?? 0,
  };
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
