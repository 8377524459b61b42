import { type QueryCreator, type RawBuilder, sql, type SqlBool } from "kysely";
import type { LibraryDatabase } from "../../db/checkpoint-database.js";
import { itemTexts } from "../../db/item-texts.js";
import { bestFirst, matchesScope, newestFirst } from "./newest-items.js";
import { plannedForValues } from "./planning.js";
import { neededItems } from "./scored-page.js";
import type { SearchParameter, SearchShape, TextShape } from "./search-shape.js";

/** How many matching items are compared, at least. A word that most items have would otherwise rank the whole table. */
const MIN_CANDIDATES = 1_000;
const CANDIDATES_PER_ITEM = 4;

/** The best items of a scope whose texts match a query, with a score. */
export function scoredTexts(
  db: QueryCreator<LibraryDatabase>,
  parameter: SearchParameter,
  shape: SearchShape,
  { text, limit }: { readonly text: TextShape; readonly limit: RawBuilder<number> },
) {
  const { texts, words, matches } = expressionsOf(parameter, text);
  const candidates = sql<number>`greatest(${sql.lit(MIN_CANDIDATES)}, ${sql.lit(CANDIDATES_PER_ITEM)} * ${neededItems(parameter)})`;
  return db
    .with(
      (cte) => cte("candidates").materialized(),
      (qb) =>
        qb
          .selectFrom("store")
          .where(
            plannedForValues(
              sql<SqlBool>`${matchesScope(parameter, shape)} and ${matches}`,
              parameter("never"),
            ),
          )
          .selectAll()
          .limit(candidates),
    )
    .selectFrom("candidates as store")
    .selectAll("store")
    .select(sql<number | null>`ts_rank_cd(${texts}, ${words})::float8`.as("score"))
    .orderBy("score", "desc")
    .orderBy(newestFirst("store"))
    .limit(limit);
}

/** A page of the items of a scope whose texts match a query, the best first; then the others, the newest first, if they count too. */
export function textMatches(
  db: QueryCreator<LibraryDatabase>,
  parameter: SearchParameter,
  shape: SearchShape,
  text: TextShape,
) {
  const needed = neededItems(parameter);
  return db
    .with(
      (cte) => cte("scored").materialized(),
      (qb) => scoredTexts(qb, parameter, shape, { text, limit: needed }),
    )
    .with("found", (qb) => {
      const best = qb.selectFrom("scored").selectAll();
      if (!text.unscored) return best;
      const others = qb
        .selectFrom("store")
        .where(matchesScope(parameter, shape))
        // A CASE, whose rows Postgres does not count by the words: where the page is not full, nearly all items of the scope are others.
        .where(sql<SqlBool>`case when ${expressionsOf(parameter, text).matches} then false else true end`)
        // Where the page is full, they are not searched for.
        .where(sql<SqlBool>`(select count(*) from scored) < ${needed}`)
        .selectAll("store")
        .select(sql<number | null>`null::float8`.as("score"))
        .orderBy(newestFirst("store"))
        .limit(needed);
      return best.unionAll(sql<never>`(${others})`);
    })
    .selectFrom("found")
    .selectAll()
    .orderBy(bestFirst("found"))
    .limit(sql<number>`${parameter("limit")}::bigint`)
    .offset(sql<number>`${parameter("offset")}::bigint`);
}

function expressionsOf(parameter: SearchParameter, { language, everyWord }: TextShape) {
  const words = textQuery(language, parameter, everyWord);
  const texts = itemTexts(sql`store.value`, language);
  return { texts, words, matches: sql<SqlBool>`${texts} @@ ${words}` };
}

function textQuery(language: string, parameter: SearchParameter, everyWord: boolean): RawBuilder<unknown> {
  const query = sql`${parameter("query")}::text`;
  if (everyWord) return sql`websearch_to_tsquery(${sql.lit(language)}::regconfig, ${query})`;
  // No operator occurs within a word of its result.
  return sql`replace(plainto_tsquery(${sql.lit(language)}::regconfig, ${query})::text, ' & ', ' | ')::tsquery`;
}
