import { sql } from "kysely";
import type { BoundStatement } from "../../db/statements/statement.js";
import { StatementFamily } from "../../db/statements/statement-family.js";
import type { CompiledFilter, FilterParams, FilterShape } from "../filters/matches-filter.js";
import { matchesScope } from "./newest-items.js";
import { isInScope, type ScopeParams, scopeParams } from "./item-scope.js";

/** The items that a search by embeddings may find. */
export interface Candidates {
  /** The prefix; empty for everything. */
  readonly prefix: string;
  readonly filter: CompiledFilter;
}

/**
 * Counts what a search would have to compare, up to a limit: the items that fulfil its filter where an index finds them, otherwise the
 * vectors of its scope.
 */
export function countCandidates(
  schema: string,
  { prefix, filter }: Candidates,
  limit: number,
): BoundStatement<{ readonly candidates: number }> {
  const shape = { isEverything: prefix === "", filter: isIndexed(filter.shape) ? filter.shape : undefined };
  const operands = shape.filter === undefined ? {} : filter.params;
  return statements.of(shape).bind(schema, { ...scopeParams(prefix), ...operands, schema, limit });
}

interface Shape {
  readonly isEverything: boolean;
  readonly filter: FilterShape | undefined;
}

type Params = ScopeParams & FilterParams & { readonly schema: string; readonly limit: number };

const statements = /* @__PURE__ */ new StatementFamily<Shape, Params, { readonly candidates: number }>(
  ({ isEverything, filter }) =>
    (db, parameter) => {
      const limit = parameter("limit");
      if (filter !== undefined) {
        const matching = db.selectFrom("store").where(matchesScope(parameter, { isEverything, filter }));
        return db.selectFrom(matching.select("key").limit(limit).as("counted")).select(COUNT);
      }
      const vectors = db.selectFrom("store_vectors").select("key").limit(limit);
      if (!isEverything) {
        const inScope = vectors.where(isInScope("store_vectors", parameter));
        return db.selectFrom(inScope.as("counted")).select(COUNT);
      }
      // Vacuum has counted a large table already, nearly enough.
      const estimate = sql<number>`(
        select reltuples from pg_catalog.pg_class
        where oid = to_regclass(format('%I.%I', ${parameter("schema")}::text, 'store_vectors'))
      )`;
      const counted = sql<number>`(${db.selectFrom(vectors.as("counted")).select(COUNT)})`;
      return db.selectNoFrom(
        sql<number>`(case when ${estimate} > ${limit} then ${limit} else ${counted} end)::float8`.as(
          "candidates",
        ),
      );
    },
);

const COUNT = /* @__PURE__ */ sql<number>`count(*)::float8`.as("candidates");

/** Whether the index of values finds what fulfils a filter. */
function isIndexed(shape: FilterShape): boolean {
  return shape.kind === "all"
    ? shape.shapes.some(isIndexed)
    : shape.kind === "contains" || shape.kind === "oneOf";
}
