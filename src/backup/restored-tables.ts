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
