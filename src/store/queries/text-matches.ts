import { type QueryCreator, type RawBuilder, sql, type SqlBool } from "kysely";
import type { LibraryDatabase } from "../../db/checkpoint-database.js";
import { itemColumns } from "./item-columns.js";
import { matchesScope, NEWEST_FIRST } from "./newest-items.js";
import { neededItems } from "./scored-page.js";
import type { SearchParameter, SearchShape, TextShape } from "./search-shape.js";

/** How many matching items are compared, at least. A word that most items have would otherwise rank the whole table. */
const MIN_CANDIDATES = 1_000;
const CANDIDATES_PER_ITEM = 4;

/** The items of a scope whose texts match a query, each with its rank `nth`. */
export function scoredTexts(
  db: QueryCreator<LibraryDatabase>,
  parameter: SearchParameter,
  shape: SearchShape,
  text: TextShape,
) {
  const { texts, words, matches } = expressionsOf(parameter, text);
  const needed = neededItems(parameter);
  return db
    .with(
      (cte) => cte("candidates").materialized(),
      (qb) =>
        qb
          .selectFrom("store")
          .where(matchesScope(parameter, shape))
          .where(matches)
          .selectAll()
          .limit(
            sql<number>`greatest(${sql.lit(MIN_CANDIDATES)}, ${sql.lit(CANDIDATES_PER_ITEM)} * ${needed})`,
          ),
    )
    .selectFrom("candidates as store")
    .select(itemColumns("store"))
    .select([
      sql<number | null>`ts_rank_cd(${texts}, ${words})::float8`.as("score"),
      sql<number>`row_number() over (order by ts_rank_cd(${texts}, ${words}) desc, ${NEWEST_FIRST})`.as(
        "nth",
      ),
    ]);
}

/** A page of the items of a scope whose texts match a query, the best first; then the others, the newest first, if they count too. */
export function textMatches(
  db: QueryCreator<LibraryDatabase>,
  parameter: SearchParameter,
  shape: SearchShape,
  text: TextShape,
) {
  const { matches } = expressionsOf(parameter, text);
  const scored = scoredTexts(db, parameter, shape, text);
  const others = db
    .selectFrom("store")
    .where(matchesScope(parameter, shape))
    .where(sql<SqlBool>`(${matches}) is not true`)
    .select(itemColumns("store"))
    .select([
      sql<number | null>`null::float8`.as("score"),
      // Behind every item with a score.
      sql<number>`9e15::bigint + row_number() over (order by ${NEWEST_FIRST})`.as("nth"),
    ])
    .orderBy(NEWEST_FIRST)
    .limit(neededItems(parameter));
  return db
    .selectFrom((text.unscored ? scored.unionAll(sql<never>`(${others})`) : scored).as("found"))
    .selectAll()
    .orderBy("nth")
    .limit(sql<number>`${parameter("limit")}::bigint`)
    .offset(sql<number>`${parameter("offset")}::bigint`);
}

function expressionsOf(parameter: SearchParameter, { language, everyWord }: TextShape) {
  const words = textQuery(language, parameter, everyWord);
  // The expression of the index `store_text_idx`: texts of the value, not its keys. Longer values have no entry there.
  const texts = sql`(case when jsonb_typeof(store.value) <> 'object' then null
    when octet_length((store.value - '__sealed__'::text)::text) <= 250000
    then jsonb_to_tsvector(${sql.lit(language)}::regconfig, store.value - '__sealed__'::text, '["string"]') end)`;
  return { texts, words, matches: sql<SqlBool>`${texts} @@ ${words}` };
}

function textQuery(language: string, parameter: SearchParameter, everyWord: boolean): RawBuilder<unknown> {
  const query = sql`${parameter("query")}::text`;
  if (everyWord) return sql`websearch_to_tsquery(${sql.lit(language)}::regconfig, ${query})`;
  // No operator occurs within a word of its result.
  return sql`replace(plainto_tsquery(${sql.lit(language)}::regconfig, ${query})::text, ' & ', ' | ')::tsquery`;
}
