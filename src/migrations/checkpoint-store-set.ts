import { MAX_NAME_BYTES } from "../db/max-name-bytes.js";
import { InvalidConfigError } from "../errors/index.js";
import { hasColumn } from "./catalog-expressions.js";
import { createCheckpointStore } from "./checkpoint-store-steps/0001-create-checkpoint-store.js";
import type { MigrationSet } from "./migration-set.js";

/** The name of the table of a checkpoint store, where the caller chooses no other. */
export const CHECKPOINT_STORE_TABLE = "checkpoint_store";

const RECORD_SUFFIX = "_kysely_migration";

/** The longest name of a table of checkpoints, in bytes of UTF-8: the names of its indexes and of its record table are longer. */
export const MAX_CHECKPOINT_TABLE_BYTES = MAX_NAME_BYTES - RECORD_SUFFIX.length;

/** What {@link checkpointStoreSet} needs to know. */
export interface CheckpointStoreSetOptions {
  /** The name of the table. Default `checkpoint_store`. */
  readonly table?: string | undefined;
}

/**
 * Returns the tables of a checkpoint store: that of its checkpoints, and the one that records its steps.
 *
 * @throws InvalidConfigError for a name that can't be that of the table; see {@link problemOfCheckpointTable}.
 */
export function checkpointStoreSet({
  table = CHECKPOINT_STORE_TABLE,
}: CheckpointStoreSetOptions = {}): MigrationSet {
  const problem = problemOfCheckpointTable(table);
  if (problem !== undefined) throw new InvalidConfigError("table", problem);
  return {
    optional: "checkpoint-store",
    record: `${table}${RECORD_SUFFIX}`,
    steps: { "checkpoint-store-0001-create-checkpoint-store": createCheckpointStore(table) },
    columns: {
      [table]: ["id", "execution_id", "node_name", "state", "metadata", "timestamp", "version"],
    },
    isComplete: (schema) => hasColumn(schema, table, "thread_id"),
  };
}

/** Returns why a text can't be the name of a table of checkpoints, or `undefined` if it can. */
export function problemOfCheckpointTable(table: string): string | undefined {
  if (table === "") return "must not be empty";
  if (/\0|\p{Surrogate}/u.test(table)) return "must not contain U+0000 or a lone surrogate";
  const isShort = Buffer.byteLength(table) <= MAX_CHECKPOINT_TABLE_BYTES;
  return isShort ? undefined : `must not be longer than ${MAX_CHECKPOINT_TABLE_BYTES} bytes`;
}
