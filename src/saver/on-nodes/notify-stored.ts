import { sql } from "kysely";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";

/** A notification, which Postgres delivers when the transaction commits. */
export interface Notification {
  readonly channel: string;
  readonly payload: string;
}

/**
 * Sends notifications from the server that the saver is connected to. It reads no table (N7).
 */
export function notifyStored(
  schema: string,
  notifications: readonly Notification[],
): BoundStatement<unknown> {
  return notify.bind(schema, {
    channels: notifications.map(({ channel }) => channel),
    payloads: notifications.map(({ payload }) => payload),
  });
}

interface NotifyParams {
  readonly channels: readonly string[];
  readonly payloads: readonly string[];
}

const notify = /* @__PURE__ */ new Statement<NotifyParams, unknown>((db, parameter) =>
  db
    .selectFrom(
      sql<Notification>`unnest(${parameter("channels")}::text[], ${parameter("payloads")}::text[])`.as<"given">(
        sql`given(channel, payload)`,
      ),
    )
    .select(sql<null>`pg_notify(given.channel, given.payload)`.as("notified")),
);
