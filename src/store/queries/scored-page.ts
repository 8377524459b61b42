import { type QueryCreator, type RawBuilder, sql, type SqlBool } from "kysely";
import { bestFirst, itemsOfScope, newestItemsFirst, matchesScope } from "./newest-items.js";
import type { ItemKey } from "./item-rows.js";
import { IS_LARGE, hasMoreThan, hiddenScope, isInScope, type ScopeParams } from "./item-scope.js";
import type { SearchParameter, SearchShape, VectorShape } from "./search-shape.js";
import type { LibraryDatabase } from "../../db/checkpoint-database.js";
import type { Parameter } from "../../db/statements/statement.js";
import type { FilterShape } from "./matches-filter.js";

/** The items that have a score. */
interface ScoredItems extends ItemKey {
  readonly score: number;
}

/**
 * A page of the items with a score, the best first; then of the others of the scope, the newest first, if they count too.
 *
 * @param db - Says how large the scope is, and has the items with a score as `scored`: all of them, or at least as many as the page and
 *   those before it need.
 * @param unscored - Whether the others count.
 */
export function scoredPage(
  db: QueryCreator<SizedScope & { scored: ScoredItems }>,
  parameter: SearchParameter,
  shape: SearchShape,
  unscored: boolean,
) {
  const needed = neededItems(parameter);
  return db
    .with("others", (qb) => otherItems(qb, parameter, shape))
    .selectFrom((eb) => {
      const scored = eb
        .selectFrom("scored")
        .innerJoin("store", (join) =>
          join.onRef("store.prefix", "=", "scored.prefix").onRef("store.key", "=", "scored.key"),
        )
        .selectAll("store")
        .select(sql<number | null>`scored.score`.as("score"));
      const others = eb
        .selectFrom("others")
        .where(sql<SqlBool>`(select count(*) from scored) < ${needed}`)
        .where(
          sql<SqlBool>`not exists (select from scored where scored.prefix = others.prefix and scored.key = others.key)`,
        )
        .selectAll("others")
        .select(sql<number | null>`null::float8`.as("score"))
        .orderBy(newestItemsFirst("others"))
        .limit(needed);
      return (unscored ? scored.unionAll(sql<never>`(${others})`) : scored).as("found");
    })
    .selectAll()
    .orderBy(bestFirst("found"))
    .limit(sql<number>`${parameter("limit")}::bigint`)
    .offset(sql<number>`${parameter("offset")}::bigint`);
}

/** The newest items of the scope, enough to fill the page after those with a score. */
function otherItems(db: QueryCreator<SizedScope>, parameter: SearchParameter, shape: SearchShape) {
  const newest = itemsOfScope(db, parameter, shape, sql<number>`2 * ${neededItems(parameter)}`).selectAll();
  if (!isIndexed(shape.filter)) return newest;
  // A walk through the newest items would find the few that fulfil the filter only at the end.
  return db
    .selectFrom("matching")
    .innerJoin("store", (join) =>
      join.onRef("store.prefix", "=", "matching.prefix").onRef("store.key", "=", "matching.key"),
    )
    .where(sql<SqlBool>`not ${IS_LARGE}`)
    .selectAll("store")
    .unionAll(db.selectFrom(newest.as("newest")).where(IS_LARGE).selectAll());
}

/** How many items a page and those before it have. */
export function neededItems(parameter: SearchParameter): RawBuilder<number> {
  return sql<number>`(${parameter("limit")}::bigint + ${parameter("offset")}::bigint)`;
}

/** Up to this many items, a scope with a filter is read whole. In a larger one, the index of values finds what fulfils the filter. */
const NARROW_SCOPE = 1_000;

/** What a statement of {@link sizedScope} can ask for. */
export type SizedScope = LibraryDatabase & {
  /** Whether the scope is too large to compare with each of its vectors. */
  readonly size: { readonly is_large: boolean };
  /** Where an index finds what fulfils the filter of a scope that is not large: all that does. */
  readonly matching: ItemKey & { readonly updated_at: Date };
};

/**
 * Begins a statement that decides by the size of its scope how to search, instead of leaving that to the planner. Otherwise the plan would
 * depend on statistics, and on how often the statement ran.
 */
export function sizedScope(
  db: QueryCreator<LibraryDatabase>,
  parameter: SearchParameter,
  shape: SearchShape,
  { exactUpTo }: VectorShape,
) {
  return db
    .with(
      (cte) => cte("matching").materialized(),
      (qb) => matchingItems(qb, parameter, shape, exactUpTo + 1),
    )
    .with(
      (cte) => cte("size").materialized(),
      (qb) =>
        isIndexed(shape.filter)
          ? qb.selectFrom("matching").select(sql<boolean>`count(*) > ${sql.lit(exactUpTo)}`.as("is_large"))
          : qb.selectNoFrom(
              hasMoreThan(qb, "store_vectors", exactUpTo, hiddenScopeOf(parameter, shape)).as("is_large"),
            ),
    );
}

/** Whether the index of values finds what fulfils a filter. */
export function isIndexed(shape: FilterShape): boolean {
  return shape.kind === "all"
    ? shape.shapes.some(isIndexed)
    : shape.kind === "contains" || shape.kind === "oneOf";
}

/** The bounds of a scope, which the planner does not see. `undefined` for everything. */
export function hiddenScopeOf(
  parameter: SearchParameter,
  { isEverything }: Pick<SearchShape, "isEverything">,
): Parameter<ScopeParams> | undefined {
  return isEverything ? undefined : hiddenScope(parameter);
}

/** The items of a scope that fulfil a filter: all of them, or more than are compared. */
function matchingItems(
  db: QueryCreator<LibraryDatabase>,
  parameter: SearchParameter,
  shape: SearchShape,
  most: number,
) {
  const matching = db
    .selectFrom("store")
    .where(matchesScope(parameter, { isEverything: true, filter: shape.filter }))
    .select(["store.prefix", "store.key", "store.updated_at"])
    .limit(sql.lit(most));
  const scope = hiddenScopeOf(parameter, shape);
  if (scope === undefined) return matching;
  const isWide = sql<SqlBool>`(select is_wide from scope)`;
  const narrow = matching.where(isInScope("store", scope)).where(sql<SqlBool>`not ${isWide}`);
  // As a truth value, the index of the namespaces does not serve it.
  const wide = matching.where(sql<SqlBool>`(${isInScope("store", scope)}) is true`).where(isWide);
  return db
    .with(
      (cte) => cte("scope").materialized(),
      (qb) => qb.selectNoFrom(hasMoreThan(qb, "store", NARROW_SCOPE, scope).as("is_wide")),
    )
    .selectFrom((eb) =>
      eb
        .selectFrom(narrow.as("narrow"))
        .selectAll()
        .unionAll(eb.selectFrom(wide.as("wide")).selectAll())
        .as("matching"),
    )
    .selectAll();
}
