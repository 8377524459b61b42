import { type RawBuilder, sql } from "kysely";

/**
 * Announces a row of `store` to those who watch it. It is for the RETURNING of a statement: Postgres delivers the notification when the
 * transaction commits.
 *
 * @param channel - See `changeChannel`.
 */
export function notifyChange(
  kind: "put" | "delete",
  channel: RawBuilder<string | undefined>,
): RawBuilder<string | null> {
  // A namespace may contain any text, so its length comes first. Two keys always fit into a notification.
  const payload = sql`${sql.lit(`${kind} `)} || length(store.prefix) || ':' || store.prefix || store.key`;
  return sql<string | null>`pg_notify(${channel}::text, ${payload})::text`;
}
