import { type QueryCreator, type RawBuilder, sql, type SqlBool } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";

/**
 * Whether `row`, one of the values that are given, is to be inserted: not if it did not change and is there. It need not be
 * held then, since the parent is, which refers to it; to lock it at every step would make those wait who share it.
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
    // Has each looked up by the index, whatever the statistics say.
    .offset(sql.lit(0));
  return sql<SqlBool>`not (row.is_carried and exists (${stored}))`;
}
