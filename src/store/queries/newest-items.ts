import { type QueryCreator, type RawBuilder, sql, type SqlBool } from "kysely";
import type { LibraryDatabase } from "../../db/checkpoint-database.js";
import { isAlive } from "../../db/expiry.js";
import { fewRows } from "../../db/kysely/few-rows.js";
import { type Parameter, type BoundStatement, StatementFamily } from "../../db/statements/statement.js";
import { type FilterParams, type FilterShape, matchesFilter, type CompiledFilter } from "./matches-filter.js";
import {
  plannedForValues,
  hiddenFromPlanner,
  hasMoreThan,
  hiddenScope,
  IS_LARGE,
  isInScope,
  type ScopeParams,
  scopeParams,
} from "./item-scope.js";
import type { SearchParameter, SearchShape } from "./search-shape.js";

/** Up to this many items, a scope is read whole and sorted. In a larger one, the index of the newest items is walked. */
const SMALL_SCOPE = 1_000;

const NO_SCORE = sql<number | null>`null::float8`.as("score");

/** The page begins where only a large scope can have one: a small one has so many items itself, and so many below it. */
const FAR = 2 * SMALL_SCOPE;

const KEY = ["prefix", "key"] as const;

interface Scope {
  readonly isEverything: boolean;
  readonly filter: FilterShape;
}

/** Whether a page of the newest items is so far behind the first one that skipping the others is what takes the time. */
export function isFar(filter: FilterShape, offset: number): boolean {
  return offset >= FAR && !isFiltered(filter);
}

/**
 * The order of a search without a query: total, so that pages neither overlap nor leave anything out.
 *
 * @param alias - The name of the table in the statement.
 */
export function newestItemsFirst(alias: string): RawBuilder<unknown> {
  const column = (name: string) => sql.ref(`${alias}.${name}`);
  return sql`${column("updated_at")} desc, ${column("prefix")} collate "C", ${column("key")} collate "C"`;
}

/** The order of any search: items without a score come last, the newest first. */
export function bestFirst(alias: string): RawBuilder<unknown> {
  return sql`${sql.ref(`${alias}.score`)} desc nulls last, ${newestItemsFirst(alias)}`;
}

/** A page of the items of a scope, the newest first. */
export function newestItems(
  db: QueryCreator<LibraryDatabase>,
  parameter: SearchParameter,
  scope: Scope & Pick<SearchShape, "isFar">,
) {
  const [limit, offset] = [
    hiddenFromPlanner(parameter("limit"), "bigint"),
    hiddenFromPlanner(parameter("offset"), "bigint"),
  ];
  if (isFiltered(scope.filter)) {
    return db
      .selectFrom("store")
      .where(plannedForValues(matchesScope(parameter, scope), parameter("never")))
      .selectAll("store")
      .select(NO_SCORE)
      .orderBy(newestItemsFirst("store"))
      .limit(sql<number>`${parameter("limit")}::bigint`)
      .offset(sql<number>`${parameter("offset")}::bigint`);
  }
  if (scope.isFar) {
    const keys = keysOfLarge(db, parameter, scope).orderBy(newestItemsFirst("store")).offset(offset);
    return db
      .selectFrom(fewRows(db, keys.as("row"), KEY).as("found"))
      .innerJoin("store", (join) =>
        join.onRef("store.prefix", "=", "found.prefix").onRef("store.key", "=", "found.key"),
      )
      .selectAll("store")
      .select(NO_SCORE);
  }
  return itemsOfScope(db, parameter, scope, sql<number>`${limit} + ${offset}`)
    .selectAll("store")
    .select(NO_SCORE)
    .orderBy(newestItemsFirst("store"))
    .limit(limit)
    .offset(offset);
}

/**
 * The newest items of a scope, from `store`: at least as many as are needed. The decision by the size of the scope is not left to the
 * planner: it may walk the index of the newest items through the whole table to find a page of a user who has few.
 */
export function itemsOfScope(
  db: QueryCreator<LibraryDatabase>,
  parameter: SearchParameter,
  { isEverything, filter }: Scope,
  needed: RawBuilder<number>,
) {
  const counts = matchesScope(parameter, { isEverything: true, filter });
  if (isEverything) return db.selectFrom("store").where(counts);
  const scope = hiddenScope(parameter);
  return withSize(db, scope)
    .with(
      (cte) => cte("small").materialized(),
      (qb) =>
        qb
          .selectFrom("store")
          .where(isInScope("store", scope))
          .where(counts)
          .where(sql<SqlBool>`not ${IS_LARGE}`)
          .selectAll(),
    )
    .with("large", (qb) =>
      qb
        .selectFrom("store")
        // As a truth value, no index serves it but that of the order.
        .where(sql<SqlBool>`(${isInScope("store", scope)}) is true`)
        .where(counts)
        .where(IS_LARGE)
        .selectAll()
        .orderBy(newestItemsFirst("store"))
        .limit(needed),
    )
    .selectFrom((eb) =>
      eb.selectFrom("small").selectAll().unionAll(eb.selectFrom("large").selectAll()).as("store"),
    );
}

/**
 * The keys of the items of a large scope, as many as a page has. The index of the newest items has all that this reads, also of the items that
 * the page skips.
 */
function keysOfLarge(db: QueryCreator<LibraryDatabase>, parameter: SearchParameter, { isEverything }: Scope) {
  const limit = parameter("limit");
  if (isEverything) {
    const all = db.selectFrom("store").where(isAlive("store")).select(KEY);
    return all.limit(hiddenFromPlanner(limit, "bigint"));
  }
  const scope = hiddenScope(parameter);
  return (
    withSize(db, scope)
      .selectFrom("store")
      .where(sql<SqlBool>`(${isInScope("store", scope)}) is true`)
      .where(isAlive("store"))
      .select(KEY)
      // Postgres reads nothing for a page of no items. As a condition, the decision would be one more step for each skipped item.
      .limit(sql<number>`(select case when is_large then ${limit}::bigint else 0 end from size)`)
  );
}

/** Adds the decision by the size of a scope, which {@link IS_LARGE} reads. */
function withSize(db: QueryCreator<LibraryDatabase>, scope: Parameter<ScopeParams>) {
  return db.with(
    (cte) => cte("size").materialized(),
    (qb) => qb.selectNoFrom(hasMoreThan(qb, "store", SMALL_SCOPE, scope).as("is_large")),
  );
}

function isFiltered(filter: FilterShape): boolean {
  return filter.kind !== "all" || filter.shapes.length > 0;
}

/** Whether an item of `store` is in a scope, fulfils its filter and has not expired. */
export function matchesScope(
  parameter: Parameter<ScopeParams & FilterParams>,
  { isEverything, filter }: Scope,
): RawBuilder<SqlBool> {
  let nth = 0;
  const matches = matchesFilter(sql.ref("store.value"), filter, () => parameter(`filter${nth++}`));
  const alive = sql<SqlBool>`${isAlive("store")} and ${matches}`;
  return isEverything ? alive : sql<SqlBool>`${isInScope("store", parameter)} and ${alive}`;
}

interface CountShape {
  readonly isEverything: boolean;
  readonly filter: FilterShape;
}

/** Counts the items of a scope that fulfil a filter. */
export function countItems(
  schema: string,
  prefix: string,
  filter: CompiledFilter,
): BoundStatement<{ readonly items: number }> {
  const shape = { isEverything: prefix === "", filter: filter.shape };
  return counts.of(shape).bind(schema, { ...scopeParams(prefix), ...filter.params });
}

const counts = new StatementFamily<CountShape, ScopeParams & FilterParams, { readonly items: number }>(
  (shape) => (db, parameter) =>
    db
      .selectFrom("store")
      .where(matchesScope(parameter, shape))
      .select(sql<number>`count(*)::float8`.as("items")),
);
