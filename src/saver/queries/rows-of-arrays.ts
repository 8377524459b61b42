import { type AliasedRawBuilder, type RawBuilder, sql } from "kysely";

/** A row with its position in the arrays, from 1 on. */
type Numbered<Row> = Row & { readonly nth: number };

/**
 * Builds the rows whose columns are given as arrays of the same length. Postgres may return them in any order; sort them by `nth` where
 * it matters.
 *
 * Each array is the result of a SELECT, so that the planner doesn't know its length. It would otherwise plan the statement for each
 * length again, which takes longer than to run it.
 *
 * @param alias - The name of the rows in the statement.
 * @param columns - The array of each column, with its type.
 */
export function rowsOfArrays<Row extends object, Alias extends string>(
  alias: Alias,
  columns: { readonly [Name in keyof Row]: RawBuilder<unknown> },
): AliasedRawBuilder<Numbered<Row>, Alias> {
  const arrays = Object.values<RawBuilder<unknown>>(columns).map((array) => sql`(select ${array})`);
  const names = [...Object.keys(columns), "nth"].map((name) => sql.ref(name));
  return sql<Numbered<Row>>`unnest(${sql.join(arrays)}) with ordinality`.as<Alias>(
    sql`${sql.ref(alias)}(${sql.join(names)})`,
  );
}
