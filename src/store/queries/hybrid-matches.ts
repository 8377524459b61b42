import { type QueryCreator, sql } from "kysely";
import type { LibraryDatabase } from "../../db/checkpoint-database.js";
import { nearestItems } from "./nearest-items.js";
import { bestFirst, newestFirst } from "./newest-items.js";
import { neededItems, scoredPage } from "./scored-page.js";
import type { SearchParameter, SearchShape, TextShape, VectorShape } from "./search-shape.js";
import { sizedScope } from "./sized-scope.js";
import { scoredTexts } from "./text-matches.js";

/** How many of its best items each half contributes, for each item that the page and those before it need. */
export const RANKED_PER_ITEM = 4;
/** Of reciprocal rank fusion. The higher it is, the less the first ranks count more than the next ones. */
const RANK_OFFSET = 60;

/**
 * A page of the items that a search by vectors and one by text rank high, fused by their ranks, since their scores don't compare. An item
 * that only one of them finds counts too.
 */
export function hybridMatches(
  db: QueryCreator<LibraryDatabase>,
  parameter: SearchParameter,
  shape: SearchShape,
  { text, vector }: { readonly text: TextShape; readonly vector: VectorShape },
) {
  const ranked = sql<number>`${sql.lit(RANKED_PER_ITEM)} * ${neededItems(parameter)}`;
  const weight = sql<number>`${parameter("weight")}::float8`;
  const byRank = sql<number>`coalesce(${weight} / (${sql.lit(RANK_OFFSET)} + by_vector.nth), 0)
    + coalesce((1 - ${weight}) / (${sql.lit(RANK_OFFSET)} + by_text.nth), 0)`;
  const withScores = sizedScope(db, parameter, shape, vector)
    .with("by_vector", (qb) =>
      qb
        .selectFrom(nearestItems(qb, { parameter, shape, vector, needed: ranked }).as("nearest"))
        .innerJoin("store", (join) =>
          join.onRef("store.prefix", "=", "nearest.prefix").onRef("store.key", "=", "nearest.key"),
        )
        .select(["nearest.prefix", "nearest.key"])
        .select(
          sql<number>`row_number() over (order by nearest.distance, ${newestFirst("store")})`.as("nth"),
        ),
    )
    .with("by_text", (qb) =>
      qb
        .selectFrom(scoredTexts(qb, parameter, shape, { text, limit: ranked }).as("found"))
        .select(["found.prefix", "found.key"])
        .select(sql<number>`row_number() over (order by ${bestFirst("found")})`.as("nth")),
    )
    .with(
      (cte) => cte("scored").materialized(),
      (qb) =>
        qb
          .selectFrom("by_vector")
          .fullJoin("by_text", (join) =>
            join.onRef("by_text.prefix", "=", "by_vector.prefix").onRef("by_text.key", "=", "by_vector.key"),
          )
          .select([
            sql<string>`coalesce(by_vector.prefix, by_text.prefix)`.as("prefix"),
            sql<string>`coalesce(by_vector.key, by_text.key)`.as("key"),
            byRank.as("score"),
          ]),
    );
  return scoredPage(withScores, parameter, shape, vector.unscored);
}
