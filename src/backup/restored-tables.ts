import { rowKey } from "../saver/model/keys.js";
import { replaceBlobs, restoreBlobs } from "../saver/queries/restore-blobs.js";
import { restoreWrites, updateSpecialWrites, updateWrites } from "../saver/queries/restore-writes.js";
import type {
  DifferingRow,
  RestoredBlob,
  RestoredCheckpoint,
  RestoredWrite,
  RestoreStatements,
} from "../saver/queries/restored-rows.js";
import { replaceCheckpoints, restoreCheckpoints } from "./queries/restore-checkpoints.js";
import {
  type StoredReader,
  unreadableBlob,
  unreadableCheckpoint,
  unreadableWrite,
} from "./unreadable-rows.js";
import { throwIfAborted } from "../db/statements/cancellation.js";
import { runBound } from "../db/statements/run-statement.js";

/** The statements that restore the rows of a table, and the key of a row. */
export interface RestoredTable<Row extends object> {
  readonly statements: Pick<RestoreStatements<Row, unknown>, "insert" | "selectDiffering">;
  /** Puts rows in the place of the stored ones. */
  readonly replacing: Pick<RestoreStatements<Row, unknown>, "insert">;
  readonly keyOf: (row: Row) => string;
  /** The same key, of a stored row that differs. */
  readonly keyOfStored: (row: DifferingRow) => string;
  /** Whether a stored row may differ and stay. Default: none may. */
  readonly mayDiffer?: (row: Row) => boolean;
  /** Whether the row that is stored in the place of this one can't be read, and this one can. */
  readonly isUnreadable: (reader: StoredReader, row: Row) => Promise<boolean>;
}

/** What becomes of a stored special write that differs, such as an interrupt after an answer: the later one counts. */
export type StoredSpecials = "replaced" | "kept";

export const BLOBS: RestoredTable<RestoredBlob> = {
  statements: restoreBlobs,
  replacing: replaceBlobs,
  keyOf: (row) => rowKey(row.thread_id, row.checkpoint_ns, row.channel, row.version),
  keyOfStored: (row) => rowKey(row.thread_id, row.checkpoint_ns, row.channel ?? "", row.version ?? ""),
  isUnreadable: unreadableBlob,
};

const KEPT_WRITES: RestoredTable<RestoredWrite> = {
  statements: restoreWrites,
  replacing: updateWrites,
  keyOf: (row) => rowKey(row.thread_id, row.checkpoint_ns, row.checkpoint_id, row.task_id, String(row.idx)),
  keyOfStored: (row) =>
    rowKey(
      ...[row.thread_id, row.checkpoint_ns, row.checkpoint_id ?? "", row.task_id ?? "", String(row.idx)],
    ),
  mayDiffer: ({ idx }) => idx < 0,
  isUnreadable: unreadableWrite,
};
export const WRITES: Readonly<Record<StoredSpecials, RestoredTable<RestoredWrite>>> = {
  kept: KEPT_WRITES,
  replaced: { ...KEPT_WRITES, statements: updateSpecialWrites },
};

export const CHECKPOINTS: RestoredTable<RestoredCheckpoint> = {
  statements: restoreCheckpoints,
  replacing: replaceCheckpoints,
  keyOf: (row) => rowKey(row.thread_id, row.checkpoint_ns, row.checkpoint_id),
  keyOfStored: (row) => rowKey(row.thread_id, row.checkpoint_ns, row.checkpoint_id ?? ""),
  isUnreadable: unreadableCheckpoint,
};

/** What became of stored rows that differ. */
interface ReplacedRows {
  readonly replaced: number;
  /** Those that can be read, or of which it is not known. */
  readonly kept: readonly DifferingRow[];
}

/**
 * Replaces the stored rows that differ and can't be read. Call it in the transaction that has locked them.
 *
 * @param rows - The rows of the backup.
 * @param differing - The stored ones that differ.
 */
export async function replaceUnreadable<Row extends object>(
  reader: StoredReader,
  table: RestoredTable<Row>,
  rows: readonly Row[],
  differing: readonly DifferingRow[],
): Promise<ReplacedRows> {
  const { call } = reader;
  const byKey = new Map(rows.map((row) => [table.keyOf(row), row]));
  let kept = differing;
  let replaced = 0;
  for (;;) {
    const unreadable: Row[] = [];
    const others: DifferingRow[] = [];
    for (const stored of kept) {
      throwIfAborted(call.signal);
      const row = byKey.get(table.keyOfStored(stored));
      if (row !== undefined && (await table.isUnreadable(reader, row))) unreadable.push(row);
      else others.push(stored);
    }
    kept = others;
    if (unreadable.length === 0) return { replaced, kept };
    await runBound(call, table.replacing.insert(call.schema, unreadable));
    replaced += unreadable.length;
    // A splice of the backup can be read once the value that it is made of was replaced.
  }
}
