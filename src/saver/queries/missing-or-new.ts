import { type QueryCreator, type RawBuilder, sql, type SqlBool } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";

/**
 * Whether `row`, one of the given values, is to be inserted. An unchanged value that is stored is not. It needs no
 * lock, because the parent that references it is locked. A lock at every step would make writers that share the value
 * wait.
 */
export function isMissingOrNew(
  db: QueryCreator<CheckpointDatabase>,
  threadId: RawBuilder<string>,
  checkpointNs: RawBuilder<string>,
): RawBuilder<SqlBool> {
  const stored = db
    .selectFrom("checkpoint_blobs as stored")
    .select("stored.type")
    .where("stored.thread_id", "=", threadId)
    .where("stored.checkpoint_ns", "=", checkpointNs)
    .where(sql<SqlBool>`stored.channel = row.channel`)
    .where(sql<SqlBool>`stored.version = row.version`)
    // OFFSET makes Postgres look up each row by the index, whatever the statistics say.
    .offset(sql.lit(0));
  return sql<SqlBool>`not (row.is_carried and exists (${stored}))`;
}
