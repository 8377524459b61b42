import { type RawBuilder, sql } from "kysely";

/** What the names of the channels begin with, and of how many digits of a digest they are made. */
export const CHANNEL_NAME = { prefix: "langgraph_", digits: 48 };

/**
 * Tells those who watch a thread of a row of `checkpoints`, for the RETURNING of its insert: in the same statement, and
 * heard when that commits. A checkpoint that was there before, whose row is replaced, is none that is new.
 *
 * @param scope - See `watchScope`.
 */
export function notifyWatchers(scope: RawBuilder<string | undefined>): RawBuilder<string | null> {
  const digest = sql`encode(sha256(convert_to(${scope}::text || thread_id, 'UTF8')), 'hex')`;
  const channel = sql`${sql.lit(CHANNEL_NAME.prefix)} || left(${digest}, ${sql.lit(CHANNEL_NAME.digits)})`;
  // A namespace may contain anything: its length says where it ends. Of two keys none is too long for a notification.
  const payload = sql`length(checkpoint_ns) || ':' || checkpoint_ns || checkpoint_id`;
  return sql<string | null>`case when xmax = 0 then pg_notify(${channel}, ${payload})::text end`;
}
