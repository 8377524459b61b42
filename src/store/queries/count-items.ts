import { sql } from "kysely";
import { type BoundStatement, StatementFamily } from "../../db/statements/statement.js";
import type { CompiledFilter, FilterParams, FilterShape } from "../filters/matches-filter.js";
import { matchesScope } from "./newest-items.js";
import { type ScopeParams, scopeParams } from "./item-scope.js";

interface Shape {
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
  return statements.of(shape).bind(schema, { ...scopeParams(prefix), ...filter.params });
}

const statements = /* @__PURE__ */ new StatementFamily<
  Shape,
  ScopeParams & FilterParams,
  { readonly items: number }
>(
  (shape) => (db, parameter) =>
    db
      .selectFrom("store")
      .where(matchesScope(parameter, shape))
      .select(sql<number>`count(*)::float8`.as("items")),
);
