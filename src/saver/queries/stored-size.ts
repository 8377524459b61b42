import { type RawBuilder, sql } from "kysely";

/**
 * The size of a value in its table, in bytes, after Postgres has compressed it, or `null` where there is none.
 * Postgres knows it without reading the value.
 */
export function storedSize(column: string): RawBuilder<number | null> {
  return sql<number | null>`pg_column_size(${sql.ref(column)})`;
}
