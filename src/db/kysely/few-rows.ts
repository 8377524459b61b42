import { type AliasedExpression, type QueryCreator, sql } from "kysely";
import type { LibraryDatabase } from "../checkpoint-database.js";

/**
 * The same rows, by way of arrays, of which Postgres expects ten elements. It overestimates some rows by far: it expects a hundred
 * channels of each header, a hundred times its first rows of a recursion, and a tenth of a table where LIMIT is a parameter. What is
 * looked up for each of them would then seem to take so long that Postgres compiles the statement (`jit_above_cost`), which takes fifty
 * times as long as to run it.
 *
 * @param rows - Named `row`. Only the columns count that are named.
 * @param columns - Names of columns with texts.
 */
export function fewRows<Name extends string>(
  db: QueryCreator<LibraryDatabase>,
  rows: AliasedExpression<Readonly<Record<Name, string>>, "row">,
  columns: readonly Name[],
) {
  const lists = db
    .selectFrom(rows)
    .select(columns.map((name) => sql<string[]>`array_agg(${sql.ref(`row.${name}`)})`.as(name)));
  const elements = sql`unnest(${sql.join(columns.map((name) => sql.ref(`list.${name}`)))})`;
  return db
    .selectFrom(lists.as("list"))
    .innerJoinLateral(
      elements.as<"given">(sql`given(${sql.join(columns.map((name) => sql.ref(name)))})`),
      (join) => join.onTrue(),
    )
    .select(columns.map((name) => sql<string>`${sql.ref(`given.${name}`)}`.as(name)));
}
