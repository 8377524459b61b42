import { type ExpressionBuilder, type QueryCreator, type RawBuilder, sql, type SqlBool } from "kysely";
import type { LibraryDatabase } from "../../db/checkpoint-database.js";
import type { ItemKey } from "./item-rows.js";
import { IS_LARGE, isInScope } from "./item-scope.js";
import { matchesScope, newestItemsFirst } from "./newest-items.js";
import type { SearchParameter, SearchShape, VectorShape } from "./search-shape.js";
import { isIndexed, hiddenScopeOf, type SizedScope } from "./scored-page.js";

const OPERATORS = { cosine: "<=>", l2: "<->", inner_product: "<#>" } as const;

/** What {@link nearestItems} needs to know. */
interface NearestItems {
  readonly parameter: SearchParameter;
  readonly shape: SearchShape;
  readonly vector: VectorShape;
  /** The largest number of items. */
  readonly needed: RawBuilder<number>;
}

/**
 * The items of a scope with the most similar vectors, by the best vector of each: `prefix`, `key` and `distance`.
 *
 * A small scope is compared whole: an index of vectors knows no scopes, so it would mostly yield vectors of other scopes. Where the best
 * vectors are of too few items, or the index yields too few, all vectors of the scope are compared and grouped.
 *
 * @param db - Says how large the scope is.
 */
export function nearestItems(db: QueryCreator<SizedScope>, wanted: NearestItems) {
  const { needed, shape, vector } = wanted;
  if (!vector.hasIndex) return compareAll(db, wanted);
  const most = sql.lit(vector.most);
  const isWhole = sql<SqlBool>`(select count(*) from compared) < ${most}`;
  return db
    .with("exact", (qb) =>
      isIndexed(shape.filter) ? vectorsOfMatching(qb, wanted) : vectorsOfScope(qb, wanted),
    )
    .with("indexed", (qb) => vectorsByIndex(qb, wanted))
    .with(
      (cte) => cte("compared").materialized(),
      (qb) => qb.selectFrom("exact").selectAll().unionAll(qb.selectFrom("indexed").selectAll()),
    )
    .with(
      (cte) => cte("best").materialized(),
      (qb) =>
        qb
          .selectFrom("compared")
          .groupBy(["prefix", "key", "updated_at"])
          .orderBy((eb) => eb.fn.min("distance"))
          .orderBy(newestItemsFirst("compared"))
          .limit(needed)
          .select((eb) => ["prefix", "key", eb.fn.min("distance").as("distance")]),
    )
    .with("too_few", (qb) =>
      qb
        .selectNoFrom(sql<boolean>`true`.as("is_so"))
        // An iterative scan may end before it has found the best vectors. Then it yields fewer than it should.
        .where(
          sql<SqlBool>`case when ${IS_LARGE} and ${isWhole} then true
            when (select count(*) from best) < ${needed} then not ${isWhole} else false end`,
        ),
    )
    .selectFrom((eb) =>
      eb
        .selectFrom("best")
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

/** The best vectors of the items that fulfil the filter of a scope that is not large, by a lookup for each. */
function vectorsOfMatching(db: QueryCreator<SizedScope>, wanted: NearestItems) {
  return db
    .selectFrom("matching")
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom("store_vectors as vectors")
          .whereRef("vectors.prefix", "=", "matching.prefix")
          .whereRef("vectors.key", "=", "matching.key")
          .where("vectors.embedding", "is not", null)
          .select(distanceOf(wanted).as("distance"))
          // So that it remains a lookup for each.
          .offset(sql.lit(0))
          .as("nearest"),
      (join) => join.onTrue(),
    )
    .where(sql<SqlBool>`not ${IS_LARGE}`)
    .orderBy("nearest.distance")
    .select(["matching.prefix", "matching.key", "matching.updated_at", "nearest.distance"])
    .modifyEnd(withTies(wanted));
}

/** The best vectors of a scope that is not large. Only the best ones are joined with their items. */
function vectorsOfScope(db: QueryCreator<SizedScope>, wanted: NearestItems) {
  const { parameter, shape } = wanted;
  const scope = hiddenScopeOf(parameter, shape);
  return db
    .selectFrom(
      db
        .selectFrom("store_vectors as vectors")
        .$if(scope !== undefined, (qb) =>
          qb.where(scope === undefined ? sql<SqlBool>`true` : isInScope("vectors", scope)),
        )
        .where("vectors.embedding", "is not", null)
        .where(sql<SqlBool>`not ${IS_LARGE}`)
        .select(["vectors.prefix", "vectors.key", distanceOf(wanted).as("distance")])
        .orderBy("distance")
        .as("vectors"),
    )
    .innerJoinLateral(
      (eb) => itemOf(eb, wanted),
      (join) => join.onTrue(),
    )
    .orderBy("vectors.distance")
    .select(["vectors.prefix", "vectors.key", "item.updated_at", "vectors.distance"])
    .modifyEnd(withTies(wanted));
}

/** The best vectors of a large scope. */
function vectorsByIndex(db: QueryCreator<SizedScope>, wanted: NearestItems) {
  const { parameter, shape, vector } = wanted;
  const distance = distanceOf(wanted);
  return (
    db
      .selectFrom("store_vectors as vectors")
      // One lookup for each vector, in the order of the index. Any other join would compare all vectors and sort them.
      .innerJoinLateral(
        (eb) => itemOf(eb, wanted),
        (join) => join.onTrue(),
      )
      // A CASE, whose rows Postgres expects to be half of all: no other index serves it, and all of them take long to sort.
      .where(
        shape.isEverything
          ? sql<SqlBool>`true`
          : sql<SqlBool>`case when ${isInScope("vectors", parameter)} then true else false end`,
      )
      .where("vectors.embedding", "is not", null)
      .where(IS_LARGE)
      .orderBy(distance)
      .limit(sql.lit(vector.most))
      .select(["vectors.prefix", "vectors.key", "item.updated_at", distance.as("distance")])
  );
}

/** The item of a row of `vectors`, if it counts. */
function itemOf(eb: ExpressionBuilder<SizedScope & { vectors: ItemKey }, "vectors">, wanted: NearestItems) {
  const { parameter, shape } = wanted;
  return eb
    .selectFrom("store")
    .whereRef("store.prefix", "=", "vectors.prefix")
    .whereRef("store.key", "=", "vectors.key")
    .where(matchesScope(parameter, { isEverything: true, filter: shape.filter }))
    .limit(sql.lit(1))
    .select("store.updated_at")
    .as("item");
}

/** Of equal distances, the newer item counts, so all of them are compared. */
function withTies({ vector }: NearestItems): RawBuilder<unknown> {
  return sql`fetch first ${sql.lit(vector.most)} rows with ties`;
}

/** Compares with every vector of the scope. */
function compareAll(db: QueryCreator<LibraryDatabase>, wanted: NearestItems) {
  const { parameter, shape, needed } = wanted;
  const compared = db
    .selectFrom("store_vectors as vectors")
    .innerJoin("store", (join) =>
      join.onRef("store.prefix", "=", "vectors.prefix").onRef("store.key", "=", "vectors.key"),
    )
    .where(shape.isEverything ? sql<SqlBool>`true` : isInScope("vectors", parameter))
    .where(matchesScope(parameter, shape))
    .where("vectors.embedding", "is not", null)
    .select(["store.prefix", "store.key", "store.updated_at", distanceOf(wanted).as("distance")])
    // Compares before it groups. Otherwise whole vectors would be sorted or hashed.
    .offset(sql.lit(0));
  return db
    .selectFrom(compared.as("compared"))
    .groupBy(["compared.prefix", "compared.key", "compared.updated_at"])
    .orderBy((eb) => eb.fn.min("compared.distance"))
    .orderBy(newestItemsFirst("compared"))
    .limit(needed)
    .select((eb) => ["compared.prefix", "compared.key", eb.fn.min("compared.distance").as("distance")]);
}

function distanceOf({ parameter, vector: { distance, type } }: NearestItems): RawBuilder<number> {
  return sql<number>`vectors.embedding ${sql.raw(OPERATORS[distance])} ${parameter("vector")}::${sql.raw(type)}`;
}
