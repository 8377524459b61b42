import { type Expression, sql, type SqlBool } from "kysely";
import type { Parameter } from "../../db/statements/statement.js";
import { isUuid6 } from "../../saver/queries/header-parts.js";
import { containsText } from "./contains-text.js";

/** The conditions on the listed threads. `undefined` is no condition. */
export interface ThreadScope {
  /** Only threads after this one, in the column's own collation. */
  readonly after: string | undefined;
  /** Only threads whose id contains this text, in any case. Default: all. */
  readonly search?: string | undefined;
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
export interface ThreadRow {
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

/** The conditions that a statement may be built for. */
export const CONDITIONS = [
  "after",
  "search",
  "filter",
  "unlike",
  "updatedAfter",
] as const satisfies (keyof ThreadScope)[];

/** A condition of a {@link ThreadScope}. */
export type ListedCondition = (typeof CONDITIONS)[number];

/** The parameters of every statement that lists threads. */
export interface ThreadParams {
  readonly after: string;
  readonly search: string;
  readonly filter: string;
  readonly unlike: readonly string[];
  readonly updatedAfterId: string;
  readonly updatedAfterTs: string;
  readonly limit: number;
}

/** The time in the header. Reading the header may decompress it, so read it only when the id contains no time. */
export const TS_OF_STORED = /* @__PURE__ */ sql<
  string | null
>`case when ${isUuid6(sql.ref("stored.checkpoint_id"))} then null
  else stored.checkpoint ->> 'ts' end`;

/** What conditions are about: a thread and its newest checkpoint. */
export interface NewestOfThread {
  readonly threadId: Expression<string>;
  readonly id: Expression<string>;
  readonly ts: Expression<string | null>;
  readonly metadata: Expression<unknown>;
}

/** Builds a condition: none for `after`, which each statement has in another place. */
export function predicate(
  name: ListedCondition,
  parameter: Parameter<ThreadParams>,
  { threadId, id, ts, metadata }: NewestOfThread,
): Expression<SqlBool>[] {
  switch (name) {
    case "after":
      return [];
    case "search":
      return [containsText(threadId, parameter("search"))];
    case "filter":
      return [sql<SqlBool>`${metadata} @> ${parameter("filter")}::jsonb`];
    case "unlike":
      return [sql<SqlBool>`not ${metadata} @> any (${parameter("unlike")}::text[]::jsonb[])`];
    case "updatedAfter":
      return [
        sql<SqlBool>`case when ${isUuid6(id)} then ${id} collate "C" >= ${parameter("updatedAfterId")}
          else ${ts} collate "C" > ${parameter("updatedAfterTs")} end`,
      ];
  }
}
