import { type RawBuilder, sql } from "kysely";
import { CURRENT_TIME } from "../../db/expiry.js";
import { timeText } from "../../db/number-text.js";

/** A row of `store` as it is read. */
export interface ItemRow {
  readonly prefix: string;
  readonly key: string;
  /** The value as JSON text. */
  readonly value: string;
  /** Times in milliseconds since 1970, as text. */
  readonly created_ms: string;
  readonly updated_ms: string;
  readonly expires_ms: string | null;
  readonly version: string;
}

/**
 * The columns of {@link ItemRow}. As text, since an application may have changed how its driver parses other types.
 *
 * @param alias - The name of the table in the statement.
 * @param expires - When the item expires, where that is not what the table says.
 */
export function itemColumns(alias: string, expires: RawBuilder<unknown> = sql.ref(`${alias}.expires_at`)) {
  const column = (name: string) => sql.ref(`${alias}.${name}`);
  return [
    sql<string>`${column("prefix")}`.as("prefix"),
    sql<string>`${column("key")}`.as("key"),
    sql<string>`${column("value")}::text`.as("value"),
    timeText(column("created_at")).as("created_ms"),
    timeText(column("updated_at")).as("updated_ms"),
    timeText<string | null>(expires).as("expires_ms"),
    sql<string>`${column("version")}::text`.as("version"),
  ] as const;
}

/** When an item expires that has a TTL in minutes from now on. Null without a TTL. */
export function expiryOf(ttlMinutes: RawBuilder<unknown>): RawBuilder<Date> {
  return sql<Date>`${CURRENT_TIME} + ${ttlMinutes} * interval '1 minute'`;
}
