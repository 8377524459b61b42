import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { Parameter } from "../../db/statements/statement.js";

/** A namespace with all namespaces below it. */
export interface ScopeParams {
  /** The namespace itself. */
  readonly prefix: string;
  /** The bounds of the namespaces below it: `prefix.` and what follows all texts that begin so. */
  readonly below: string;
  readonly beyond: string;
}

/** The parameters of a scope. Not for the empty prefix, which is everything. */
export function scopeParams(prefix: string): ScopeParams {
  // "/" follows ".", so that whole labels match: `a.b` and `a.b.c`, but not `a.bc`.
  return { prefix, below: `${prefix}.`, beyond: `${prefix}/` };
}

/**
 * Whether a row is in the scope, compared byte by byte, as the index `store_prefix_idx` is ordered. Unlike LIKE, it has no wildcards, and
 * the index serves it for any parameter.
 */
export function isInScope(alias: string, parameter: Parameter<ScopeParams>): RawBuilder<SqlBool> {
  const prefix = sql.ref(`${alias}.prefix`);
  // The namespaces below come first, since they hold most of the items of a large scope.
  return sql<SqlBool>`((${prefix} ~>=~ ${parameter("below")} and ${prefix} ~<~ ${parameter("beyond")})
    or ${prefix} = ${parameter("prefix")})`;
}
