import { sql } from "kysely";
import { CURRENT_TIME, isAlive } from "../../db/expiry.js";
import { type BoundStatement, StatementFamily } from "../../db/statements/statement.js";
import { expiryOf } from "./item-columns.js";
import { notifyChange } from "./notify-change.js";
import type { PutRow, WrittenRow } from "./write-items.js";

/**
 * Stores an item where it has an expected version; with the expected version 0, where there is no such item.
 *
 * @param channel - The channel that announces the change; `undefined` for none.
 * @returns A statement with one row where it has stored the item, and none otherwise.
 */
export function putIf(
  schema: string,
  row: PutRow,
  expectedVersion: number,
  channel: string | undefined,
): BoundStatement<WrittenRow> {
  const statements = expectedVersion === 0 ? insertNew : replace;
  return statements.of(channel !== undefined).bind(schema, { ...row, expectedVersion, channel });
}

interface ConditionalParams extends PutRow {
  readonly expectedVersion: number;
  readonly channel: string | undefined;
}

const VERSION = /* @__PURE__ */ sql<string>`version::text`.as("version");

const insertNew = /* @__PURE__ */ new StatementFamily<boolean, ConditionalParams, WrittenRow>(
  (notifies) => (db, parameter) => {
    const expires = expiryOf(sql`${parameter("ttlMinutes")}::float8`);
    return db
      .insertInto("store")
      .values({
        prefix: parameter("prefix"),
        key: parameter("key"),
        value: sql<string>`${parameter("value")}::jsonb`,
        created_at: CURRENT_TIME,
        updated_at: CURRENT_TIME,
        expires_at: expires,
        ttl_minutes: sql<number | null>`${parameter("ttlMinutes")}::float8`,
      })
      .onConflict((conflict) =>
        conflict
          .columns(["prefix", "key"])
          .doUpdateSet({
            value: sql<string>`excluded.value`,
            created_at: sql<Date>`excluded.created_at`,
            updated_at: sql<Date>`excluded.updated_at`,
            expires_at: sql<Date>`excluded.expires_at`,
            ttl_minutes: sql<number>`excluded.ttl_minutes`,
          })
          // An expired item counts as deleted.
          .where(sql<boolean>`store.expires_at <= ${CURRENT_TIME}`),
      )
      .returning(["prefix", "key", VERSION])
      .$if(notifies, (qb) => qb.returning(notifyChange("put", parameter("channel")).as("notified")));
  },
);

const replace = /* @__PURE__ */ new StatementFamily<boolean, ConditionalParams, WrittenRow>(
  (notifies) => (db, parameter) =>
    db
      .updateTable("store")
      .set({
        value: sql<string>`${parameter("value")}::jsonb`,
        updated_at: CURRENT_TIME,
        expires_at: expiryOf(sql`${parameter("ttlMinutes")}::float8`),
        ttl_minutes: sql<number | null>`${parameter("ttlMinutes")}::float8`,
      })
      .where("prefix", "=", parameter("prefix"))
      .where("key", "=", parameter("key"))
      .where(sql<boolean>`version = ${parameter("expectedVersion")}::bigint`)
      .where(isAlive("store"))
      .returning(["prefix", "key", VERSION])
      .$if(notifies, (qb) => qb.returning(notifyChange("put", parameter("channel")).as("notified"))),
);
