import { type RawBuilder, sql } from "kysely";

/**
 * How many bytes a value takes in its table, after Postgres has compressed it; `null` where there is none. Postgres knows
 * that without reading the value.
 */
export function storedSize(column: string): RawBuilder<number | null> {
  return sql<number | null>`pg_column_size(${sql.ref(column)})`;
}
