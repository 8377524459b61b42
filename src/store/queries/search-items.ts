import { type QueryCreator, sql } from "kysely";
import { type BoundStatement, StatementFamily } from "../../db/statements/statement.js";
import { fewRows } from "../../db/kysely/few-rows.js";
import { LOCK_ORDER } from "./item-keys.js";
import type { CompiledFilter, FilterParams } from "../filters/matches-filter.js";
import { expiryOf, itemColumns, type ItemRow } from "./item-columns.js";
import { bestFirst, isFar, newestItems } from "./newest-items.js";
import { scopeParams } from "./item-scope.js";
import { hybridMatches, RANKED_PER_ITEM } from "./hybrid-matches.js";
import type { SearchParameter, SearchParams, SearchShape, TextQuery, TextShape, VectorSearch, VectorShape } from "./search-shape.js";
import { textMatches } from "./text-matches.js";
import type { LibraryDatabase } from "../../db/checkpoint-database.js";
import { nearestItems, scoreOf } from "./nearest-items.js";
import { neededItems, scoredPage } from "./scored-page.js";
import { sizedScope } from "./sized-scope.js";

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
export interface FoundRow extends ItemRow {
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

const statements = /* @__PURE__ */ new StatementFamily<SearchShape, SearchParams & FilterParams, FoundRow>(
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
