import { type QueryCreator, type RawBuilder, sql, type SqlBool } from "kysely";
import type { LibraryDatabase } from "../../db/checkpoint-database.js";
import type { Parameter } from "../../db/statements/statement.js";

/** A namespace with all namespaces below it. */
export interface ScopeParams {
  /** The namespace itself. */
  readonly prefix: string;
  /** The bounds of the namespaces below it: `prefix.` and what follows all texts that begin so. */
  readonly below: string;
  readonly beyond: string;
}

/** The parameters of a scope. Not for the empty prefix, which is everything. */
export function scopeParams(prefix: string): ScopeParams {
  // "/" follows ".", so that whole labels match: `a.b` and `a.b.c`, but not `a.bc`.
  return { prefix, below: `${prefix}.`, beyond: `${prefix}/` };
}

/**
 * Whether a row is in the scope, compared byte by byte, as the index `store_prefix_idx` is ordered. Unlike LIKE, it has no wildcards, and
 * the index serves it for any parameter.
 */
export function isInScope(alias: string, parameter: Parameter<ScopeParams>): RawBuilder<SqlBool> {
  const prefix = sql.ref(`${alias}.prefix`);
  // The namespaces below come first, since they hold most of the items of a large scope.
  return sql<SqlBool>`((${prefix} ~>=~ ${parameter("below")} and ${prefix} ~<~ ${parameter("beyond")})
    or ${prefix} = ${parameter("prefix")})`;
}

/** The bounds of a scope, which the planner does not see. */
export function hiddenScope(parameter: Parameter<ScopeParams>): Parameter<ScopeParams> {
  return (name) => hiddenFromPlanner(parameter(name), "text");
}

/** Whether the scope is large, where the statement has a CTE `size` that says so. */
export const IS_LARGE = sql<SqlBool>`(select is_large from size)`;

/**
 * Whether a namespace, or all those below it, have more than this number of rows. It reads only the index.
 *
 * @param scope - As {@link hiddenScope} returns it. `undefined` for everything.
 */
export function hasMoreThan(
  db: QueryCreator<LibraryDatabase>,
  table: "store" | "store_vectors",
  most: number,
  scope: Parameter<ScopeParams> | undefined,
): RawBuilder<SqlBool> {
  // The order of the index, in which Postgres can stop early.
  const ordered = db
    .selectFrom(table)
    .select("prefix")
    .orderBy(sql`prefix using ~<~`)
    .offset(sql.lit(most))
    .limit(sql.lit(1));
  if (scope === undefined) return sql<SqlBool>`exists (${ordered})`;
  // As the element of a list that Postgres does not know, so that it expects many rows. Of few, it would sort all that there are.
  const oneOf = (name: keyof ScopeParams) => sql`any ((select array[${scope(name)}])::text[])`;
  const within = ordered.where(
    sql<SqlBool>`prefix ~>=~ ${scope("prefix")} and prefix ~<=~ ${oneOf("prefix")}`,
  );
  const below = ordered.where(sql<SqlBool>`prefix ~>=~ ${scope("below")} and prefix ~<~ ${oneOf("beyond")}`);
  return sql<SqlBool>`(exists (${within}) or exists (${below}))`;
}

/**
 * A parameter whose value the planner does not see, nor how many elements it has. Postgres then has no reason to plan the statement again
 * for each value, which takes longer than to run it.
 */
export function hiddenFromPlanner<T>(
  parameter: RawBuilder<T>,
  type: "text" | "text[]" | "bigint",
): RawBuilder<T> {
  return sql<T>`(select ${parameter}::${sql.raw(type)})`;
}

/** What no plan is as expensive as, in any table: Postgres expects a million million rows of it. */
const FOREVER = sql<number>`(select count(*) from generate_series(1, 1000000000000))`;

/**
 * Lets Postgres plan a statement for the values of each call, since how many items fulfil a condition depends on them. A plan for any
 * values could use no index for this condition. It would have to count for ever, so that Postgres never takes it, not even where the plans
 * for the values of earlier calls read the whole table.
 *
 * @param never - A parameter that is false.
 */
export function plannedForValues(
  condition: RawBuilder<SqlBool>,
  never: RawBuilder<boolean>,
): RawBuilder<SqlBool> {
  return sql<SqlBool>`((${condition}) or (${never}::boolean and ${FOREVER} > 0))`;
}
