import { type QueryCreator, sql, type RawBuilder, type SqlBool } from "kysely";
import { type BoundStatement, StatementFamily } from "../../db/statements/statement.js";
import { fewRows } from "../../db/kysely/few-rows.js";
import { LOCK_ORDER, expiryOf, itemColumns, type StoreRow } from "./item-rows.js";
import type { CompiledFilter, FilterParams } from "./matches-filter.js";
import { bestFirst, isFar, newestItems, newestItemsFirst, matchesScope } from "./newest-items.js";
import { scopeParams, plannedForValues } from "./item-scope.js";
import type {
  SearchParameter,
  SearchParams,
  SearchShape,
  TextQuery,
  TextShape,
  VectorSearch,
  VectorShape,
} from "./search-shape.js";
import type { LibraryDatabase } from "../../db/checkpoint-database.js";
import { nearestItems, scoreOf } from "./nearest-items.js";
import { neededItems, scoredPage, sizedScope } from "./scored-page.js";
import { itemTexts } from "../../db/item-texts.js";

/** A search, with all that its statement depends on. */
export interface ItemSearch {
  /** The prefix; empty for everything. */
  readonly prefix: string;
  readonly filter: CompiledFilter;
  readonly limit: number;
  readonly offset: number;
  /** Whether the time of the returned items with a TTL starts again. */
  readonly refreshes: boolean;
  /** How texts are matched. Absent: the items are ordered by their times. */
  readonly text?: TextQuery | undefined;
  /** How embeddings are compared. Absent: they are not. */
  readonly vector?: VectorSearch | undefined;
}

/** An item that a search has found. */
export interface FoundRow extends StoreRow {
  /** The higher the better. `null` for an item that does not match the query. */
  readonly score: number | null;
}

/** Finds items: the best first, or the newest where the search has no query. */
export function searchItems(schema: string, search: ItemSearch): BoundStatement<FoundRow> {
  const { prefix, filter, limit, offset, refreshes, text, vector: byVector } = search;
  const { query = "" } = text ?? {};
  const { vector = "", weight = 0 } = byVector ?? {};
  const shape = {
    isEverything: prefix === "",
    filter: filter.shape,
    isFar: text === undefined && byVector === undefined && isFar(filter.shape, offset),
    refreshes,
    text: text && textShapeOf(text),
    vector: byVector && { ...shapeOf(byVector), most: vectorsFor(search) },
  };
  const params = {
    ...scopeParams(prefix),
    ...filter.params,
    ...{ limit, offset, query, vector, weight, never: false },
  };
  return statements.of(shape).bind(schema, params);
}

const KEY = ["prefix", "key"] as const;

/** How many of the best vectors are compared for each needed item, which may have several, and how many at least. */
const VECTORS_PER_ITEM = 4;
const MIN_VECTORS = 40;

function textShapeOf({ language, everyWord, unscored }: TextQuery): TextShape {
  return { language, everyWord, unscored };
}

function shapeOf({ type, distance, unscored, hasIndex, exactUpTo }: VectorSearch): Omit<VectorShape, "most"> {
  return { type, distance, unscored, hasIndex, exactUpTo };
}

/** A number of vectors that many searches share: the statement has it in its text, so that the planner knows it. */
function vectorsFor({ limit, offset, text }: ItemSearch): number {
  const items = (limit + offset) * (text === undefined ? 1 : RANKED_PER_ITEM);
  return MIN_VECTORS * 2 ** Math.max(0, Math.ceil(Math.log2((items * VECTORS_PER_ITEM) / MIN_VECTORS)));
}

const statements = new StatementFamily<SearchShape, SearchParams & FilterParams, FoundRow>(
  (shape) => (db, parameter) => {
    const page = db.with("page", (qb) => {
      const { text, vector } = shape;
      if (vector !== undefined) {
        return text === undefined
          ? vectorMatches(qb, parameter, shape, vector)
          : hybridMatches(qb, parameter, shape, { text, vector });
      }
      return text === undefined ? newestItems(qb, parameter, shape) : textMatches(qb, parameter, shape, text);
    });
    if (!shape.refreshes) {
      return page
        .selectFrom("page")
        .select(itemColumns("page"))
        .select("page.score")
        .orderBy(bestFirst("page"));
    }
    return page
      .with("locked", (qb) =>
        qb
          .selectFrom(fewRows(qb, qb.selectFrom("page").select(["prefix", "key"]).as("row"), KEY).as("found"))
          .innerJoin("store", (join) =>
            join.onRef("store.prefix", "=", "found.prefix").onRef("store.key", "=", "found.key"),
          )
          .where("store.ttl_minutes", "is not", null)
          .orderBy(LOCK_ORDER)
          .forUpdate("store")
          .select(["store.prefix", "store.key"]),
      )
      .with("refreshed", (qb) =>
        qb
          .updateTable("store")
          .from("locked")
          .whereRef("store.prefix", "=", "locked.prefix")
          .whereRef("store.key", "=", "locked.key")
          .set({ expires_at: expiryOf(sql.ref("store.ttl_minutes")) })
          .returning(["store.prefix", "store.key", "store.expires_at"]),
      )
      .selectFrom("page")
      .leftJoin("refreshed", (join) =>
        join.onRef("refreshed.prefix", "=", "page.prefix").onRef("refreshed.key", "=", "page.key"),
      )
      .select(itemColumns("page", sql`coalesce(refreshed.expires_at, page.expires_at)`))
      .select("page.score")
      .orderBy(bestFirst("page"));
  },
);

/** A page of the items with the most similar vectors; then of the items without a vector, if they count too. */
function vectorMatches(
  db: QueryCreator<LibraryDatabase>,
  parameter: SearchParameter,
  shape: SearchShape,
  vector: VectorShape,
) {
  const needed = neededItems(parameter);
  const withScores = sizedScope(db, parameter, shape, vector).with(
    (cte) => cte("scored").materialized(),
    (qb) =>
      qb
        .selectFrom(nearestItems(qb, { parameter, shape, vector, needed }).as("nearest"))
        .select(["nearest.prefix", "nearest.key", scoreOf(vector).as("score")]),
  );
  return scoredPage(withScores, parameter, shape, vector.unscored);
}

/** How many of its best items each half contributes, for each item that the page and those before it need. */
const RANKED_PER_ITEM = 4;
/** Of reciprocal rank fusion. The higher it is, the less the first ranks count more than the next ones. */
const RANK_OFFSET = 60;

/**
 * A page of the items that a search by vectors and one by text rank high, fused by their ranks, since their scores don't compare. An item
 * that only one of them finds counts too.
 */
function hybridMatches(
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
          sql<number>`row_number() over (order by nearest.distance, ${newestItemsFirst("store")})`.as("nth"),
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

/** How many matching items are compared, at least. A word that most items have would otherwise rank the whole table. */
const MIN_CANDIDATES = 1_000;
const CANDIDATES_PER_ITEM = 4;

/** The best items of a scope whose texts match a query, with a score. */
function scoredTexts(
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
    .orderBy(newestItemsFirst("store"))
    .limit(limit);
}

/** A page of the items of a scope whose texts match a query, the best first; then the others, the newest first, if they count too. */
function textMatches(
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
        .orderBy(newestItemsFirst("store"))
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
