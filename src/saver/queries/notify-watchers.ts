import { type QueryCreator, type RawBuilder, sql, type SqlBool } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { CHANNEL_NAME } from "../../db/listening/channel-name.js";

/**
 * Announces a row of `checkpoints` to those who watch its thread. It is for the RETURNING of an insert: Postgres
 * delivers the notification when the transaction commits. A replaced row is not new, and not announced.
 *
 * @param scope - See `watchScope`.
 * @param threadId - The thread of all rows, where the statement has only one.
 */
export function notifyWatchers(
  db: QueryCreator<CheckpointDatabase>,
  scope: RawBuilder<string | undefined>,
  threadId: RawBuilder<string> = sql.ref("checkpoints.thread_id"),
): RawBuilder<string | null> {
  const digest = sql`encode(sha256(convert_to(${scope}::text || thread_id, 'UTF8')), 'hex')`;
  const channel = sql`${sql.lit(CHANNEL_NAME.prefix)} || left(${digest}, ${sql.lit(CHANNEL_NAME.digits)})`;
  // A namespace may contain any text, so its length comes first. Two keys always fit into a notification.
  const payload = sql`length(checkpoint_ns) || ':' || checkpoint_ns || checkpoint_id`;
  // A part of a statement does not see what the statement has inserted. System columns, which would tell as well, are missing
  // where the table is partitioned.
  const replaced = db
    .selectFrom("checkpoints as replaced")
    .select("replaced.type")
    .where("replaced.thread_id", "=", threadId)
    .where(sql<SqlBool>`replaced.checkpoint_ns = checkpoints.checkpoint_ns`)
    .where(sql<SqlBool>`replaced.checkpoint_id = checkpoints.checkpoint_id`)
    // OFFSET makes Postgres look the row up by the index, whatever the statistics say.
    .offset(sql.lit(0));
  return sql<
    string | null
  >`case when not exists (${replaced}) then pg_notify(${channel}, ${payload})::text end`;
}
