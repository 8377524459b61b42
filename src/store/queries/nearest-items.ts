import { type QueryCreator, type RawBuilder, sql, type SqlBool } from "kysely";
import type { LibraryDatabase } from "../../db/checkpoint-database.js";
import { matchesScope, newestFirst } from "./newest-items.js";
import { isInScope } from "./item-scope.js";
import type { SearchParameter, SearchShape, VectorShape } from "./search-shape.js";

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
 * A small scope is compared whole: an index of vectors knows no scopes, so it would mostly yield vectors of other scopes. Where the index
 * yields too few items of a large scope, that scope is compared whole as well.
 */
export function nearestItems(db: QueryCreator<LibraryDatabase>, wanted: NearestItems) {
  if (wanted.vector.isSmall) return compareAll(db, wanted);
  const { parameter, shape, needed } = wanted;
  const distance = distanceOf(wanted);
  const vectors = sql<number>`greatest(${sql.lit(MIN_VECTORS)}, ${sql.lit(VECTORS_PER_ITEM)} * ${needed})`;
  return db
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
                .limit(sql.lit(1))
                .select("store.updated_at")
                .as("item"),
            (join) => join.onTrue(),
          )
          .where(inScope(wanted))
          .where("vectors.embedding", "is not", null)
          .orderBy(distance)
          .limit(vectors)
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
    .with("too_few", (qb) =>
      qb
        .selectNoFrom(sql<boolean>`true`.as("is_so"))
        // An iterative scan may end before it has found the best vectors. Then it yields fewer than it should.
        .where(
          sql<boolean>`(select count(*) from indexed) < ${vectors} or (select count(*) from by_index) < ${needed}`,
        ),
    )
    .selectFrom((eb) =>
      eb
        .selectFrom("by_index")
        .where(sql<SqlBool>`not exists (select from too_few)`)
        .selectAll()
        .unionAll(
          eb
            .selectFrom("too_few")
            // It depends on `too_few`, so that Postgres does not run any part of it without need.
            .innerJoinLateral(
              compareAll(db, wanted)
                .where(sql<SqlBool>`too_few.is_so`)
                .as("whole"),
              (join) => join.onTrue(),
            )
            .select(["whole.prefix", "whole.key", "whole.distance"]),
        )
        .as("nearest"),
    )
    .selectAll();
}

/** The score of a distance: the higher, the better. */
export function scoreOf({ distance }: VectorShape): RawBuilder<number> {
  return distance === "cosine" ? sql<number>`1 - nearest.distance` : sql<number>`-nearest.distance`;
}

/** Compares with every vector of the scope. */
function compareAll(db: QueryCreator<LibraryDatabase>, wanted: NearestItems) {
  const { parameter, shape, needed } = wanted;
  const compared = db
    .selectFrom("store_vectors as vectors")
    .innerJoin("store", (join) =>
      join.onRef("store.prefix", "=", "vectors.prefix").onRef("store.key", "=", "vectors.key"),
    )
    .where(inScope(wanted))
    .where(matchesScope(parameter, shape))
    .where("vectors.embedding", "is not", null)
    .select(["store.prefix", "store.key", "store.updated_at", distanceOf(wanted).as("distance")])
    // Compares before it groups. Otherwise whole vectors would be sorted or hashed.
    .offset(sql.lit(0));
  return db
    .selectFrom(compared.as("compared"))
    .groupBy(["compared.prefix", "compared.key", "compared.updated_at"])
    .orderBy((eb) => eb.fn.min("compared.distance"))
    .orderBy(newestFirst("compared"))
    .limit(needed)
    .select((eb) => ["compared.prefix", "compared.key", eb.fn.min("compared.distance").as("distance")]);
}

function inScope({ parameter, shape }: NearestItems): RawBuilder<SqlBool> {
  return shape.isEverything ? sql<SqlBool>`true` : isInScope("vectors", parameter);
}

function distanceOf({ parameter, vector: { distance, type } }: NearestItems): RawBuilder<number> {
  return sql<number>`vectors.embedding ${sql.raw(OPERATORS[distance])} ${parameter("vector")}::${sql.raw(type)}`;
}
