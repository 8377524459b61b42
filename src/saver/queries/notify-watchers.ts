import { type RawBuilder, sql } from "kysely";
import { CHANNEL_NAME } from "../../db/listening/channel-name.js";

/**
 * Announces a row of `checkpoints` to those who watch its thread. It is for the RETURNING of an insert: Postgres
 * delivers the notification when the transaction commits. A replaced row is not new, and not announced.
 *
 * @param scope - See `watchScope`.
 */
export function notifyWatchers(scope: RawBuilder<string | undefined>): RawBuilder<string | null> {
  const digest = sql`encode(sha256(convert_to(${scope}::text || thread_id, 'UTF8')), 'hex')`;
  const channel = sql`${sql.lit(CHANNEL_NAME.prefix)} || left(${digest}, ${sql.lit(CHANNEL_NAME.digits)})`;
  // A namespace may contain any text, so its length comes first. Two keys always fit into a notification.
  const payload = sql`length(checkpoint_ns) || ':' || checkpoint_ns || checkpoint_id`;
  return sql<string | null>`case when xmax = 0 then pg_notify(${channel}, ${payload})::text end`;
}
