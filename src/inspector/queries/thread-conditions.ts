import { type Expression, sql, type SqlBool } from "kysely";
import type { Parameter } from "../../db/statements/statement.js";
import type { ConditionParams } from "../../threads/queries/listed-threads.js";

/** The conditions on the listed threads. `undefined` is no condition. */
export interface ThreadsScope {
  /** The place and the thread at the end of the preceding page. */
  readonly after?: { readonly place: string; readonly threadId: string } | undefined;
  /** The place that those of the threads are smaller than. */
  readonly before?: string | undefined;
  /** The smallest place. */
  readonly since?: string | undefined;
  /** Only these threads. */
  readonly among?: readonly string[] | undefined;
  /** JSON text that the metadata of the newest checkpoint contains. */
  readonly filter?: string | undefined;
  /** JSON texts, none of which the metadata of the newest checkpoint contains. */
  readonly unlike?: readonly string[] | undefined;
  /** Whether the smallest places come first. Default: `false`. */
  readonly oldestFirst?: boolean;
}

/** The names of the conditions. */
export const CONDITIONS = [
  "after",
  "before",
  "since",
  "among",
  "filter",
  "unlike",
] as const satisfies readonly (keyof ThreadsScope)[];

export type ThreadCondition = (typeof CONDITIONS)[number];

/** The parameters of all lists of threads. */
export interface ThreadPageParams extends ConditionParams {
  readonly threadId: string;
  readonly among: readonly string[];
  readonly failed: boolean;
  readonly place: string;
  readonly before: string;
  readonly since: string;
  readonly limit: number;
}

/** The condition on the ids of threads: those that were named. */
export function threadConditions(
  threadId: Expression<string>,
  narrowed: readonly string[],
  parameter: Parameter<ThreadPageParams>,
): Expression<SqlBool>[] {
  return narrowed.includes("among") ? [sql<SqlBool>`${threadId} = any (${parameter("among")}::text[])`] : [];
}

/** The conditions on the places of threads in their order. */
export function placeConditions(
  parameter: Parameter<ThreadPageParams>,
  { narrowed, oldestFirst }: { readonly narrowed: readonly ThreadCondition[]; readonly oldestFirst: boolean },
  place: Expression<string> = sql`place`,
  threadId: Expression<string> = sql`thread_id`,
): Expression<SqlBool>[] {
  const given = (name: "place" | "threadId" | "before" | "since") =>
    sql`${parameter(name)}::text collate "C"`;
  const operator = oldestFirst ? sql`>` : sql`<`;
  return [
    ...(narrowed.includes("after")
      ? [
          sql<SqlBool>`(${place} collate "C", ${threadId} collate "C") ${operator} (${given("place")}, ${given("threadId")})`,
        ]
      : []),
    ...(narrowed.includes("before") ? [sql<SqlBool>`${place} collate "C" < ${given("before")}`] : []),
    ...(narrowed.includes("since") ? [sql<SqlBool>`${place} collate "C" >= ${given("since")}`] : []),
  ];
}
