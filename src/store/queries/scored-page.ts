import { type QueryCreator, type RawBuilder, sql, type SqlBool } from "kysely";
import type { LibraryDatabase } from "../../db/checkpoint-database.js";
import { bestFirst, matchesScope, newestFirst } from "./newest-items.js";
import type { ItemKey } from "./item-keys.js";
import type { SearchParameter, SearchShape } from "./search-shape.js";

/** The items that have a score. */
export interface ScoredItems extends ItemKey {
  readonly score: number;
}

/**
 * A page of the items with a score, the best first; then of the others of the scope, the newest first, if they count too.
 *
 * @param db - Has the items with a score as `scored`: all of them, or at least as many as the page and those before it need.
 * @param unscored - Whether the others count.
 */
export function scoredPage(
  db: QueryCreator<LibraryDatabase & { scored: ScoredItems }>,
  parameter: SearchParameter,
  shape: SearchShape,
  unscored: boolean,
) {
  const needed = neededItems(parameter);
  return db
    .selectFrom((eb) => {
      const scored = eb
        .selectFrom("scored")
        .innerJoin("store", (join) =>
          join.onRef("store.prefix", "=", "scored.prefix").onRef("store.key", "=", "scored.key"),
        )
        .selectAll("store")
        .select(sql<number | null>`scored.score`.as("score"));
      const others = eb
        .selectFrom("store")
        .where(matchesScope(parameter, shape))
        .where(sql<SqlBool>`(select count(*) from scored) < ${needed}`)
        .where(
          sql<SqlBool>`not exists (select from scored where scored.prefix = store.prefix and scored.key = store.key)`,
        )
        .selectAll("store")
        .select(sql<number | null>`null::float8`.as("score"))
        .orderBy(newestFirst("store"))
        .limit(needed);
      return (unscored ? scored.unionAll(sql<never>`(${others})`) : scored).as("found");
    })
    .selectAll()
    .orderBy(bestFirst("found"))
    .limit(sql<number>`${parameter("limit")}::bigint`)
    .offset(sql<number>`${parameter("offset")}::bigint`);
}

/** How many items a page and those before it have. */
export function neededItems(parameter: SearchParameter): RawBuilder<number> {
  return sql<number>`(${parameter("limit")}::bigint + ${parameter("offset")}::bigint)`;
}
