import { type QueryCreator, type RawBuilder, sql, type SqlBool } from "kysely";
import type { LibraryDatabase } from "../../db/checkpoint-database.js";
import { matchesScope, newestFirst } from "./newest-items.js";
import { isInScope } from "./scope.js";
import type { SearchParameter, SearchShape, VectorShape } from "./search-shape.js";

/** A scope with at most so many vectors is compared whole, which is exact. */
const EXACT_UP_TO = 10_000;
/** How many vectors the index yields for each needed item, which may have several, and how many at least. */
const VECTORS_PER_ITEM = 4;
const MIN_VECTORS = 40;

const OPERATORS = { cosine: "<=>", l2: "<->", inner_product: "<#>" } as const;

/** What {@link nearestItems} needs to know. */
export interface NearestItems {
  readonly parameter: SearchParameter;
  readonly shape: SearchShape;
  readonly vector: VectorShape;
  /** The largest number of items. */
  readonly needed: RawBuilder<number>;
}

/**
 * The items of a scope with the most similar vectors, by the best vector of each: `prefix`, `key` and `distance`.
 *
 * A small scope is compared whole: an index of vectors knows no scopes, so that it would yield vectors of everybody else. Where the index
 * yields too few items of a large scope, that is compared whole as well.
 */
export function nearestItems(db: QueryCreator<LibraryDatabase>, wanted: NearestItems) {
  const { parameter, shape, needed } = wanted;
  const counted = db
    .selectFrom("store_vectors as vectors")
    .where(inScope(wanted))
    .select("vectors.key")
    .limit(EXACT_UP_TO + 1)
    .as("counted");
  const isSmall = sql<SqlBool>`(select vectors from size) <= ${sql.lit(EXACT_UP_TO)}`;
  const isLarge = sql<SqlBool>`(select vectors from size) > ${sql.lit(EXACT_UP_TO)}`;
  const isEnough = sql<SqlBool>`(select count(*) from by_index) >= ${needed}`;
  const isTooFew = sql<SqlBool>`(select count(*) from by_index) < ${needed}`;
  const distance = distanceOf(wanted);
  return db
    .with("size", (qb) => qb.selectFrom(counted).select(sql<number>`count(*)`.as("vectors")))
    .with(
      (cte) => cte("small").materialized(),
      (qb) => compareAll(qb, wanted).where(isSmall),
    )
    .with(
      (cte) => cte("indexed").materialized(),
      (qb) =>
        qb
          .selectFrom("store_vectors as vectors")
          // One lookup for each vector, in the order of the index. Any other join would compare all vectors and sort them.
          .innerJoinLateral(
            (eb) =>
              eb
                .selectFrom("store")
                .whereRef("store.prefix", "=", "vectors.prefix")
                .whereRef("store.key", "=", "vectors.key")
                .where(matchesScope(parameter, shape))
                .limit(1)
                .select("store.updated_at")
                .as("item"),
            (join) => join.onTrue(),
          )
          .where(inScope(wanted))
          .where("vectors.embedding", "is not", null)
          .where(isLarge)
          .orderBy(distance)
          .limit(sql<number>`greatest(${sql.lit(MIN_VECTORS)}, ${sql.lit(VECTORS_PER_ITEM)} * (${needed}))`)
          .select(["vectors.prefix", "vectors.key", "item.updated_at", distance.as("distance")]),
    )
    .with("by_index", (qb) =>
      qb
        .selectFrom("indexed")
        .groupBy(["prefix", "key", "updated_at"])
        .orderBy((eb) => eb.fn.min("distance"))
        .orderBy(sql`updated_at desc, prefix collate "C", key collate "C"`)
        .limit(needed)
        .select((eb) => ["prefix", "key", eb.fn.min("distance").as("distance")]),
    )
    .with(
      (cte) => cte("whole").materialized(),
      (qb) => compareAll(qb, wanted).where(isLarge).where(isTooFew),
    )
    .selectFrom((eb) =>
      eb
        .selectFrom("small")
        .selectAll()
        .unionAll(eb.selectFrom("by_index").where(isEnough).selectAll())
        .unionAll(eb.selectFrom("whole").selectAll())
        .as("nearest"),
    )
    .selectAll();
}

/** The score of a distance: the higher, the better. */
export function scoreOf({ distance }: VectorShape): RawBuilder<number> {
  const negated = sql<number>`-nearest.distance`;
  return distance === "cosine" ? sql<number>`1 - nearest.distance` : negated;
}

/** Compares with every vector of the scope. */
function compareAll(db: QueryCreator<LibraryDatabase>, wanted: NearestItems) {
  const { parameter, shape, needed } = wanted;
  const distance = sql<number>`min(${distanceOf(wanted)})`;
  return (
    db
      .selectFrom("store_vectors as vectors")
      .innerJoin("store", (join) =>
        join.onRef("store.prefix", "=", "vectors.prefix").onRef("store.key", "=", "vectors.key"),
      )
      .where(inScope(wanted))
      .where(matchesScope(parameter, shape))
      .where("vectors.embedding", "is not", null)
      // The primary key, so that the time of the item is known.
      .groupBy(["store.prefix", "store.key"])
      .orderBy(distance)
      .orderBy(newestFirst("store"))
      .limit(needed)
      .select(["store.prefix", "store.key", distance.as("distance")])
  );
}

function inScope({ parameter, shape }: NearestItems): RawBuilder<SqlBool> {
  return shape.isEverything ? sql<SqlBool>`true` : isInScope("vectors", parameter);
}

function distanceOf({ parameter, vector: { distance, type } }: NearestItems): RawBuilder<number> {
  return sql<number>`vectors.embedding ${sql.raw(OPERATORS[distance])} ${parameter("vector")}::${sql.raw(type)}`;
}
