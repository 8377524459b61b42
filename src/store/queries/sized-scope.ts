import { type QueryCreator, sql, type SqlBool } from "kysely";
import type { LibraryDatabase } from "../../db/checkpoint-database.js";
import type { Parameter } from "../../db/statements/statement.js";
import type { FilterShape } from "../filters/matches-filter.js";
import { hasMoreThan, hiddenScope, isInScope, type ScopeParams } from "./item-scope.js";
import type { ItemKey } from "./item-keys.js";
import { matchesScope } from "./newest-items.js";
import type { SearchParameter, SearchShape, VectorShape } from "./search-shape.js";

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
              hasMoreThan(qb, "store_vectors", exactUpTo, scopeOf(parameter, shape)).as("is_large"),
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
export function scopeOf(
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
  const scope = scopeOf(parameter, shape);
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
