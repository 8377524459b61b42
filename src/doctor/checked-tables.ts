import type { CheckpointDatabase } from "../db/checkpoint-database.js";

/** A table and its primary key. */
export interface CheckedTable {
  readonly name: keyof CheckpointDatabase;
  /** The columns of the primary key, which every write needs. */
  readonly key: readonly string[];
}

/** The tables with rows of threads, which savers read and write. */
export const ROW_TABLES: readonly CheckedTable[] = [
  { name: "checkpoints", key: ["thread_id", "checkpoint_ns", "checkpoint_id"] },
  { name: "checkpoint_blobs", key: ["thread_id", "checkpoint_ns", "channel", "version"] },
  { name: "checkpoint_writes", key: ["thread_id", "checkpoint_ns", "checkpoint_id", "task_id", "idx"] },
  { name: "checkpoint_tombstones", key: ["thread_id"] },
];

/** The tables that record the applied migrations, which savers only read. */
export const RECORD_TABLES: readonly (keyof CheckpointDatabase)[] = [
  "checkpoint_migrations",
  "checkpoint_kysely_migration",
];
