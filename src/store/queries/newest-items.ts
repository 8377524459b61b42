import { type QueryCreator, type RawBuilder, sql, type SqlBool } from "kysely";
import type { LibraryDatabase } from "../../db/checkpoint-database.js";
import { type FilterParams, type FilterShape, matchesFilter } from "../filters/matches-filter.js";
import { isAlive, itemColumns } from "./item-columns.js";
import { isInScope, type ScopeParams } from "./scope.js";
import type { Parameter } from "../../db/statements/statement.js";
import type { SearchParameter } from "./search-shape.js";

/** Up to this many items, a scope is read whole and sorted. In a larger one, Postgres may walk the index of the newest items. */
const SMALL_SCOPE = 1_000;

/** The order of a search without a query: total, so that pages neither overlap nor leave anything out. */
export const NEWEST_FIRST = /* @__PURE__ */ sql`store.updated_at desc, store.prefix collate "C", store.key collate "C"`;

interface Scope {
  readonly isEverything: boolean;
  readonly filter: FilterShape;
}

/** A page of the items of a scope, the newest first. */
export function newestItems(db: QueryCreator<LibraryDatabase>, parameter: SearchParameter, scope: Scope) {
  return itemsOfScope(db, parameter, scope)
    .select(itemColumns("store"))
    .select([
      sql<number | null>`null::float8`.as("score"),
      sql<number>`row_number() over (order by ${NEWEST_FIRST})`.as("nth"),
    ])
    .orderBy(NEWEST_FIRST)
    .limit(sql<number>`${parameter("limit")}::bigint`)
    .offset(sql<number>`${parameter("offset")}::bigint`);
}

/** The items of a scope that a page may hold, from `store`: at least as many as the page and those before it need. */
function itemsOfScope(db: QueryCreator<LibraryDatabase>, parameter: SearchParameter, scope: Scope) {
  const matches = matchesScope(parameter, scope);
  if (scope.isEverything) return db.selectFrom("store").where(matches);
  const inScope = isInScope("store", parameter);
  // Counts in the index alone. Without this decision, the planner may walk the index of the newest items through the whole table to
  // find a page of a user who has few.
  const counted = db
    .selectFrom("store")
    .where(inScope)
    .select("prefix")
    .limit(SMALL_SCOPE + 1)
    .as("counted");
  return db
    .with("size", (qb) => qb.selectFrom(counted).select(sql<number>`count(*)`.as("items")))
    .with(
      (cte) => cte("small").materialized(),
      (qb) =>
        qb
          .selectFrom("store")
          .where(matches)
          .where(sql<SqlBool>`(${qb.selectFrom("size").select("items")}) <= ${sql.lit(SMALL_SCOPE)}`)
          .selectAll(),
    )
    .with("large", (qb) =>
      qb
        .selectFrom("store")
        .where(matches)
        .where(sql<SqlBool>`(${qb.selectFrom("size").select("items")}) > ${sql.lit(SMALL_SCOPE)}`)
        .selectAll()
        .orderBy(NEWEST_FIRST)
        .limit(sql<number>`${parameter("limit")}::bigint + ${parameter("offset")}::bigint`),
    )
    .selectFrom((eb) =>
      eb.selectFrom("small").selectAll().unionAll(eb.selectFrom("large").selectAll()).as("store"),
    );
}

/** Whether an item of `store` is in a scope, fulfils its filter and has not expired. */
export function matchesScope(
  parameter: Parameter<ScopeParams & FilterParams>,
  { isEverything, filter }: Scope,
): RawBuilder<SqlBool> {
  let nth = 0;
  const matches = matchesFilter(sql.ref("store.value"), filter, () => parameter(`filter${nth++}`));
  const alive = sql<SqlBool>`${isAlive("store")} and ${matches}`;
  return isEverything ? alive : sql<SqlBool>`${isInScope("store", parameter)} and ${alive}`;
}
