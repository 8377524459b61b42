import { type QueryCreator, type RawBuilder, sql, type SqlBool } from "kysely";
import { bestFirst, itemsOfScope, newestFirst } from "./newest-items.js";
import type { ItemKey } from "./item-keys.js";
import { IS_LARGE } from "./item-scope.js";
import type { SearchParameter, SearchShape } from "./search-shape.js";
import { isIndexed, type SizedScope } from "./sized-scope.js";

/** The items that have a score. */
export interface ScoredItems extends ItemKey {
  readonly score: number;
}

/**
 * A page of the items with a score, the best first; then of the others of the scope, the newest first, if they count too.
 *
 * @param db - Says how large the scope is, and has the items with a score as `scored`: all of them, or at least as many as the page and
 *   those before it need.
 * @param unscored - Whether the others count.
 */
export function scoredPage(
  db: QueryCreator<SizedScope & { scored: ScoredItems }>,
  parameter: SearchParameter,
  shape: SearchShape,
  unscored: boolean,
) {
  const needed = neededItems(parameter);
  return db
    .with("others", (qb) => otherItems(qb, parameter, shape))
    .selectFrom((eb) => {
      const scored = eb
        .selectFrom("scored")
        .innerJoin("store", (join) =>
          join.onRef("store.prefix", "=", "scored.prefix").onRef("store.key", "=", "scored.key"),
        )
        .selectAll("store")
        .select(sql<number | null>`scored.score`.as("score"));
      const others = eb
        .selectFrom("others")
        .where(sql<SqlBool>`(select count(*) from scored) < ${needed}`)
        .where(
          sql<SqlBool>`not exists (select from scored where scored.prefix = others.prefix and scored.key = others.key)`,
        )
        .selectAll("others")
        .select(sql<number | null>`null::float8`.as("score"))
        .orderBy(newestFirst("others"))
        .limit(needed);
      return (unscored ? scored.unionAll(sql<never>`(${others})`) : scored).as("found");
    })
    .selectAll()
    .orderBy(bestFirst("found"))
    .limit(sql<number>`${parameter("limit")}::bigint`)
    .offset(sql<number>`${parameter("offset")}::bigint`);
}

/** The newest items of the scope, enough to fill the page after those with a score. */
function otherItems(db: QueryCreator<SizedScope>, parameter: SearchParameter, shape: SearchShape) {
  const newest = itemsOfScope(db, parameter, shape, sql<number>`2 * ${neededItems(parameter)}`).selectAll();
  if (!isIndexed(shape.filter)) return newest;
  // A walk through the newest items would find the few that fulfil the filter only at the end.
  return db
    .selectFrom("matching")
    .innerJoin("store", (join) =>
      join.onRef("store.prefix", "=", "matching.prefix").onRef("store.key", "=", "matching.key"),
    )
    .where(sql<SqlBool>`not ${IS_LARGE}`)
    .selectAll("store")
    .unionAll(db.selectFrom(newest.as("newest")).where(IS_LARGE).selectAll());
}

/** How many items a page and those before it have. */
export function neededItems(parameter: SearchParameter): RawBuilder<number> {
  return sql<number>`(${parameter("limit")}::bigint + ${parameter("offset")}::bigint)`;
}
