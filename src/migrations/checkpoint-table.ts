import { MAX_NAME_BYTES } from "../db/migrate-command.js";
import { TABLE_USE } from "./migration-set.js";

/** The name of the table of a checkpoint store, where the caller chooses no other. */
export const CHECKPOINT_STORE_TABLE = "checkpoint_store";

const RECORD_SUFFIX = "_kysely_migration";

/** The longest name of a table of checkpoints, in bytes of UTF-8. Those of its indexes and of its record table are longer. */
export const MAX_CHECKPOINT_TABLE_BYTES = MAX_NAME_BYTES - RECORD_SUFFIX.length;

/** Returns the name of the table that records the steps of a table of checkpoints. */
export function recordOfCheckpointTable(table: string): string {
  return `${table}${RECORD_SUFFIX}`;
}

/**
 * Returns why a text can't be the name of a table of checkpoints in any schema, or `undefined` if it can. Whether a foreign table has the
 * name is seen only in the schema.
 */
export function problemOfCheckpointTable(table: string): string | undefined {
  if (table === "") return "must not be empty";
  if (/\0|\p{Surrogate}/u.test(table)) return "must not contain U+0000 or a lone surrogate";
  if (Buffer.byteLength(table) > MAX_CHECKPOINT_TABLE_BYTES) {
    return `must not be longer than ${MAX_CHECKPOINT_TABLE_BYTES} bytes`;
  }
  // Kysely would take them for a schema or an alias.
  if (table.includes(".")) return "must not contain a period: a schema is not part of it";
  if (table.includes(" as ")) return 'must not contain " as "';
  const record = recordOfCheckpointTable(table);
  if (table === CHECKPOINT_STORE_TABLE || !Object.hasOwn(TABLE_USE, record)) return undefined;
  return `must not be "${table}": "${record}" records the steps of other tables of this library`;
}

/** Whether a name belongs to another table of this library. A new table of checkpoints must not have it; one of langgraphgo may. */
export function isNameOfOtherTable(table: string): boolean {
  return table !== CHECKPOINT_STORE_TABLE && Object.hasOwn(TABLE_USE, table);
}

/** Whether a name is that of a table of savers. Where a checkpoint store has it, the schema has no savers. */
export function isNameOfSavers(table: string): boolean {
  return Object.entries(TABLE_USE).some(([name, [, optional]]) => name === table && optional === undefined);
}
