import { type RawBuilder, sql } from "kysely";
import { CURRENT_TIME } from "../../db/expiry.js";

/** A row of `store` as it is read. */
export interface ItemRow {
  readonly prefix: string;
  readonly key: string;
  /** The value as JSON text. */
  readonly value: string;
  /** Times in milliseconds since 1970. */
  readonly created_ms: number;
  readonly updated_ms: number;
  readonly expires_ms: number | null;
  readonly version: number;
}

/**
 * The columns of {@link ItemRow}. As text and numbers, since an application may have changed how its driver parses other types.
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
    sql<number>`${milliseconds(column("created_at"))}`.as("created_ms"),
    sql<number>`${milliseconds(column("updated_at"))}`.as("updated_ms"),
    sql<number | null>`${milliseconds(expires)}`.as("expires_ms"),
    sql<number>`${column("version")}::float8`.as("version"),
  ] as const;
}

/** When an item expires that has a TTL in minutes from now on. Null without a TTL. */
export function expiryOf(ttlMinutes: RawBuilder<unknown>): RawBuilder<Date> {
  return sql<Date>`${CURRENT_TIME} + ${ttlMinutes} * interval '1 minute'`;
}

function milliseconds(time: RawBuilder<unknown>): RawBuilder<unknown> {
  // `extract` computes with numeric, which takes twice as long. The microseconds are exact in a double.
  return sql`round(date_part('epoch', ${time}) * 1000000) / 1000`;
}
