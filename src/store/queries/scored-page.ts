import { type QueryCreator, type RawBuilder, sql, type SqlBool } from "kysely";
import type { LibraryDatabase } from "../../db/checkpoint-database.js";
import { itemColumns } from "./item-columns.js";
import { matchesScope, NEWEST_FIRST } from "./newest-items.js";
import type { ItemKey } from "./get-items.js";
import type { SearchParameter, SearchShape } from "./search-shape.js";

/** The items that have a score. */
export interface ScoredItems extends ItemKey {
  readonly score: number;
}

/**
 * A page of the items with a score, the best first; then of the others of the scope, the newest first, if they count too.
 *
 * @param db - Has the items with a score as `scored`: at least as many as the page and those before it need, if there are so many.
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
        .select(itemColumns("store"))
        .select([
          sql<number | null>`scored.score`.as("score"),
          sql<number>`row_number() over (order by scored.score desc, ${NEWEST_FIRST})`.as("nth"),
        ]);
      const others = eb
        .selectFrom("store")
        .where(matchesScope(parameter, shape))
        .where(sql<SqlBool>`(select count(*) from scored) < ${needed}`)
        .where(
          sql<SqlBool>`not exists (select from scored where scored.prefix = store.prefix and scored.key = store.key)`,
        )
        .select(itemColumns("store"))
        .select([
          sql<number | null>`null::float8`.as("score"),
          // Behind every item with a score.
          sql<number>`9e15::bigint + row_number() over (order by ${NEWEST_FIRST})`.as("nth"),
        ])
        .orderBy(NEWEST_FIRST)
        .limit(needed);
      return (unscored ? scored.unionAll(sql<never>`(${others})`) : scored).as("found");
    })
    .selectAll()
    .orderBy("nth")
    .limit(sql<number>`${parameter("limit")}::bigint`)
    .offset(sql<number>`${parameter("offset")}::bigint`);
}

/** How many items a page and those before it have. */
export function neededItems(parameter: SearchParameter): RawBuilder<number> {
  return sql<number>`(${parameter("limit")}::bigint + ${parameter("offset")}::bigint)`;
}
