import { type Expression, sql, type SqlBool } from "kysely";
import type { Parameter } from "../../db/statements/statement.js";
import { isUuid6 } from "../../saver/queries/header-parts.js";

/** The conditions on the listed threads. `undefined` is no condition. */
export interface ThreadScope {
  /** Only threads after this one, in the column's own collation. */
  readonly after: string | undefined;
  /** JSON text that the metadata of the newest checkpoint contains. */
  readonly filter: string | undefined;
  /** JSON texts, none of which the metadata of the newest checkpoint contains. */
  readonly unlike: readonly string[] | undefined;
  /** Only threads whose newest checkpoint is later. */
  readonly updatedAfter: UpdatedAfter | undefined;
}

/** A time in the two forms in which checkpoints store theirs. */
export interface UpdatedAfter {
  /** The lower bound of the ids of later checkpoints. */
  readonly id: string;
  /** ISO 8601, in UTC. */
  readonly ts: string;
}

/** A thread and its newest checkpoint. */
export interface ListedRow {
  thread_id: string;
  checkpoint_ns: string;
  checkpoint_id: string;
  /** The metadata as JSON text. */
  metadata: string | null;
  /** The time in the header; `null` when the id contains a time. */
  ts: string | null;
  checkpoints: number;
  namespaces: number;
}

/** The time in the header. Reading the header may decompress it, so read it only when the id contains no time. */
export const TS_OF_STORED = sql<string | null>`case when ${isUuid6(sql.ref("stored.checkpoint_id"))} then null
  else stored.checkpoint ->> 'ts' end`;

/** The parameters of the conditions that all lists of threads have. */
export interface ConditionParams {
  readonly filter: string;
  readonly unlike: readonly string[];
}

/**
 * Builds the conditions on the metadata of the newest checkpoint, which all lists of threads have. Others have their own places in the
 * statements.
 *
 * @param narrowed - The names of the conditions of a list.
 */
export function conditionsOn(
  metadata: Expression<unknown>,
  narrowed: readonly string[],
  parameter: Parameter<ConditionParams>,
): Expression<SqlBool>[] {
  const has = (name: keyof ConditionParams): boolean => narrowed.includes(name);
  return [
    ...(has("filter") ? [sql<SqlBool>`${metadata} @> ${parameter("filter")}::jsonb`] : []),
    ...(has("unlike")
      ? [sql<SqlBool>`not ${metadata} @> any (${parameter("unlike")}::text[]::jsonb[])`]
      : []),
  ];
}
