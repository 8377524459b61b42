import { type RawBuilder, sql, type SqlBool } from "kysely";

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
const FOREVER = /* @__PURE__ */ sql<number>`(select count(*) from generate_series(1, 1000000000000))`;

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
