import { type Expression, type QueryCreator, type RawBuilder, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";

/**
 * Returns NULL, or fails where the tables are those of the official JavaScript saver and have not been migrated.
 * Statements that select rows for deletion include it, because the saver deletes nothing that it can't read or
 * export.
 *
 * @param threadId - The thread of a statement about one: the statement then names it for each table (N1).
 */
export function migratedColumn(
  db: QueryCreator<CheckpointDatabase>,
  threadId?: Expression<string>,
): RawBuilder<string | null> {
  const none = db.selectFrom("checkpoint_writes").select("task_path").limit(sql.lit(0));
  return sql<string | null>`(${threadId === undefined ? none : none.where("thread_id", "=", threadId)})`;
}
