import type { CheckpointDatabase } from "../db/checkpoint-database.js";

/** What a saver does with a table, and by which columns it finds a row. */
export interface CheckedTable {
  readonly name: keyof CheckpointDatabase;
  /** The primary key: what a write finds its row by. */
  readonly key: readonly string[];
}

/** The tables that hold rows of threads: a saver reads and writes them. */
export const ROW_TABLES: readonly CheckedTable[] = [
  { name: "checkpoints", key: ["thread_id", "checkpoint_ns", "checkpoint_id"] },
  { name: "checkpoint_blobs", key: ["thread_id", "checkpoint_ns", "channel", "version"] },
  { name: "checkpoint_writes", key: ["thread_id", "checkpoint_ns", "checkpoint_id", "task_id", "idx"] },
  { name: "checkpoint_tombstones", key: ["thread_id"] },
];

/** The tables that hold what has been migrated: a saver reads them. */
export const RECORD_TABLES: readonly (keyof CheckpointDatabase)[] = [
  "checkpoint_migrations",
  "checkpoint_kysely_migration",
];
