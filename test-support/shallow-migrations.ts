import { ADD_TASK_PATH, CREATE_WRITES } from "./official-migrations.js";

/**
 * The tables of Python's `ShallowPostgresSaver` without its indexes. Only the newest checkpoint of a namespace has a
 * row.
 *
 * Taken from langgraph-checkpoint-postgres 3.2.0 (MIT).
 */
export const SHALLOW_MIGRATIONS: readonly string[] = [
  "CREATE TABLE IF NOT EXISTS checkpoint_migrations (v INTEGER PRIMARY KEY)",
  `CREATE TABLE IF NOT EXISTS checkpoints (
    thread_id TEXT NOT NULL,
    checkpoint_ns TEXT NOT NULL DEFAULT '',
    type TEXT,
    checkpoint JSONB NOT NULL,
    metadata JSONB NOT NULL DEFAULT '{}',
    PRIMARY KEY (thread_id, checkpoint_ns)
  )`,
  `CREATE TABLE IF NOT EXISTS checkpoint_blobs (
    thread_id TEXT NOT NULL,
    checkpoint_ns TEXT NOT NULL DEFAULT '',
    channel TEXT NOT NULL,
    type TEXT NOT NULL,
    blob BYTEA,
    PRIMARY KEY (thread_id, checkpoint_ns, channel)
  )`,
  CREATE_WRITES,
  ADD_TASK_PATH,
];
