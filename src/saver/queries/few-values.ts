import { type AliasedExpression, type QueryCreator, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";

/** Identifies a value of a channel. */
export interface ValueKeyRow {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  readonly channel: string;
  readonly version: string;
}

const KEY = ["thread_id", "checkpoint_ns", "channel", "version"] as const satisfies (keyof ValueKeyRow)[];

/**
 * The same keys, by way of arrays, of which Postgres expects ten elements. Of a header it expects a hundred channels, and of
 * a recursion a hundred times its first rows. So it would expect a read that follows chains to take so long that it compiles the
 * statement (`jit_above_cost`), which takes fifty times as long as to run it.
 */
export function fewValues(
  db: QueryCreator<CheckpointDatabase>,
  values: AliasedExpression<ValueKeyRow, "value">,
) {
  const lists = db
    .selectFrom(values)
    .select(KEY.map((name) => sql<string[]>`array_agg(${sql.ref(`value.${name}`)})`.as(name)));
  return db
    .selectFrom(lists.as("list"))
    .innerJoinLateral(
      sql<ValueKeyRow>`unnest(${sql.join(KEY.map((name) => sql.ref(`list.${name}`)))})`.as<"given">(
        sql`given(${sql.join(KEY.map((name) => sql.ref(name)))})`,
      ),
      (join) => join.onTrue(),
    )
    .select(KEY.map((name) => `given.${name}` as const));
}
