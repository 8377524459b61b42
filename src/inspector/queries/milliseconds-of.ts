import { type RawBuilder, sql } from "kysely";

/** The time of a column in milliseconds since 1970: a number, since an application may have changed how its driver parses times. */
export function millisecondsOf<T extends number | null>(column: string): RawBuilder<T> {
  return msOf<T>(sql.ref(column));
}

/** The time of an expression in milliseconds since 1970. */
export function msOf<T extends number | null>(time: RawBuilder<unknown>): RawBuilder<T> {
  return sql<T>`(date_part('epoch', ${time}) * 1000)::float8`;
}
