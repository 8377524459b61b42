import { type QueryCreator, type RawBuilder, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";

/**
 * Returns NULL, or fails where the tables are those of the official JavaScript saver and have not been migrated.
 * Statements that select rows for deletion include it, because the saver deletes nothing that it can't read or
 * export.
 */
export function migratedColumn(db: QueryCreator<CheckpointDatabase>): RawBuilder<string | null> {
  return sql<string | null>`(${db.selectFrom("checkpoint_writes").select("task_path").limit(sql.lit(0))})`;
}
