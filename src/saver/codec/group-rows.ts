import { CorruptCheckpointError } from "../../errors.js";
import type { TupleRow } from "../queries/tuple-row.js";
import { compareText } from "./compare-text.js";
import { type StoredValue, storedValueOf } from "./stored-value.js";

/** The rows that one checkpoint's tuple is made of. */
export interface TupleParts {
  readonly header: TupleRow;
  /** The blob of a channel at a version, where one is stored. */
  readonly blobOf: (channel: string, version: string) => StoredValue | undefined;
  /** Its pending writes, in the order of task path, task and position. */
  readonly writes: readonly TupleRow[];
  /** What checkpoints before version 4 have their sends in, in the same order. */
  readonly sends: readonly TupleRow[];
}

/** Puts the rows of a page together, checkpoint by checkpoint, in the order of their `checkpoint` rows. */
export function groupRows(rows: readonly TupleRow[]): TupleParts[] {
  const blobs = new Map<string, StoredValue>();
  const writes = new Map<string, TupleRow[]>();
  const sends = new Map<string, TupleRow[]>();
  const headers: TupleRow[] = [];
  for (const row of rows) {
    switch (row.part) {
      case "checkpoint":
        headers.push(row);
        break;
      case "value":
        blobs.set(identity(row.thread_id, row.checkpoint_ns, row.channel, row.version), storedValueOf(row));
        break;
      case "write":
        append(writes, checkpointOf(row), row);
        break;
      case "send":
        append(sends, checkpointOf(row), row);
        break;
    }
  }
  return headers.map((header) => ({
    header,
    blobOf: (channel, version) =>
      blobs.get(identity(header.thread_id, header.checkpoint_ns, channel, version)),
    writes: (writes.get(checkpointOf(header)) ?? []).sort(byTask),
    sends: (sends.get(checkpointOf(header)) ?? []).sort(byTask),
  }));
}

/** The column of a row that the part has by the way its query is made. */
export function required<T>(value: T | null, column: string, row: TupleRow): T {
  if (value !== null) return value;
  throw new CorruptCheckpointError(`a "${row.part}" row has no ${column}`, { threadId: row.thread_id });
}

function checkpointOf(row: TupleRow): string {
  return identity(row.thread_id, row.checkpoint_ns, row.checkpoint_id);
}

// Postgres has no U+0000 in text, so that no two identities can run together.
function identity(...parts: (string | null)[]): string {
  return parts.join("\0");
}

function append(map: Map<string, TupleRow[]>, key: string, row: TupleRow): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [row]);
  else known.push(row);
}

/** The order in which the tasks of a super-step are applied. */
function byTask(a: TupleRow, b: TupleRow): number {
  return (
    compareText(a.task_path ?? "", b.task_path ?? "") ||
    compareText(a.task_id ?? "", b.task_id ?? "") ||
    (a.idx ?? 0) - (b.idx ?? 0)
  );
}
