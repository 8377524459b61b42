import { type QueryCreator, type RawBuilder, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";

/**
 * NULL, and an error where the tables are those of the official JavaScript saver and have not been migrated. What is selected
 * beside it is to be deleted, and nothing is deleted where it can be neither read nor exported.
 */
export function migratedColumn(db: QueryCreator<CheckpointDatabase>): RawBuilder<string | null> {
  return sql<string | null>`(${db.selectFrom("checkpoint_writes").select("task_path").limit(sql.lit(0))})`;
}
