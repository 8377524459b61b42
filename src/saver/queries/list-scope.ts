import { type Expression, type ExpressionBuilder, sql, type SqlBool } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import type { Parameter } from "../../db/statements/statement.js";
import type { CheckpointKey } from "../model/keys.js";

/** The conditions of a list. An `undefined` condition does not narrow it. */
export interface ListScope {
  readonly threadId?: string | undefined;
  readonly checkpointNs?: string | undefined;
  readonly checkpointId?: string | undefined;
  /** Only checkpoints with a smaller id. */
  readonly before?: string | undefined;
  /** JSON text that the metadata must contain. */
  readonly filter?: string | undefined;
  /** JSON texts that the metadata must not contain. */
  readonly unlike?: readonly string[] | undefined;
  /** Only the newest checkpoint of each namespace. */
  readonly newestOnly?: true | undefined;
}

/** A page of a list. */
export interface ListPage {
  /** The last checkpoint of the previous page. This page starts after it. */
  readonly after: CheckpointKey | undefined;
  /** The largest number of checkpoints. */
  readonly pageSize: number;
}

/** The parameters of every statement of a list. */
export interface ListParams extends Record<Exclude<keyof ListScope, "newestOnly" | "unlike">, string> {
  readonly unlike: readonly string[];
  readonly afterThreadId: string;
  readonly afterCheckpointNs: string;
  readonly afterCheckpointId: string;
  readonly pageSize: number;
}

/** Returns the parameters of a page. */
export function listParams(scope: ListScope, { after, pageSize }: ListPage): ListParams {
  return {
    threadId: scope.threadId ?? "",
    checkpointNs: scope.checkpointNs ?? "",
    checkpointId: scope.checkpointId ?? "",
    before: scope.before ?? "",
    filter: scope.filter ?? "",
    unlike: scope.unlike ?? [],
    afterThreadId: after?.threadId ?? "",
    afterCheckpointNs: after?.checkpointNs ?? "",
    afterCheckpointId: after?.checkpointId ?? "",
    pageSize,
  };
}

type Condition = keyof ListScope;
const CONDITIONS = [
  "threadId",
  "checkpointNs",
  "checkpointId",
  "before",
  "filter",
  "unlike",
  "newestOnly",
] as const satisfies Condition[];

/** The conditions that a statement is built for. */
export interface ListConditions {
  readonly narrowed: readonly Condition[];
  /** Whether there is a previous page. */
  readonly continued: boolean;
  /** Whether the newest checkpoints are found by a lookup for each row. Otherwise the rows are grouped (N4). */
  readonly isOnNodes: boolean;
}

/** Returns the conditions of a page. */
export function listConditions(scope: ListScope, { after }: ListPage, isOnNodes: boolean): ListConditions {
  const narrowed = CONDITIONS.filter((name) => scope[name] !== undefined);
  return { narrowed, continued: after !== undefined, isOnNodes };
}

type Builder = ExpressionBuilder<CheckpointDatabase, "checkpoints">;
type Predicate = Expression<SqlBool>;

/** Builds the condition of a page. */
export function isListed(
  eb: Builder,
  conditions: ListConditions,
  parameter: Parameter<ListParams>,
): Predicate {
  const predicates = conditions.narrowed.map((name) => predicate(eb, name, conditions, parameter));
  return eb.and(conditions.continued ? [...predicates, isBehind(eb, parameter)] : predicates);
}

function predicate(
  eb: Builder,
  name: Condition,
  conditions: ListConditions,
  parameter: Parameter<ListParams>,
): Predicate {
  switch (name) {
    case "threadId":
      return eb("thread_id", "=", parameter("threadId"));
    case "checkpointNs":
      return eb("checkpoint_ns", "=", parameter("checkpointNs"));
    case "checkpointId":
      return eb("checkpoint_id", "=", parameter("checkpointId"));
    case "before":
      return eb(sql<string>`checkpoint_id collate "C"`, "<", parameter("before"));
    case "filter":
      return sql<SqlBool>`${eb.ref("metadata")} @> ${parameter("filter")}::jsonb`;
    case "unlike":
      return sql<SqlBool>`not ${eb.ref("metadata")} @> any (${parameter("unlike")}::text[]::jsonb[])`;
    case "newestOnly":
      if (conditions.isOnNodes) return isInNewest(eb, conditions, parameter);
      return eb.not(
        eb.exists(
          eb
            .selectFrom("checkpoints as newer")
            .select("newer.checkpoint_id")
            .whereRef("newer.thread_id", "=", "checkpoints.thread_id")
            .whereRef("newer.checkpoint_ns", "=", "checkpoints.checkpoint_ns")
            .where(
              sql`newer.checkpoint_id collate "C"`,
              ">",
              sql`${eb.ref("checkpoints.checkpoint_id")} collate "C"`,
            ),
        ),
      );
  }
}

function isBehind(eb: Builder, parameter: Parameter<ListParams>): Predicate {
  return eb(
    sql`(checkpoint_id collate "C", thread_id collate "C", checkpoint_ns collate "C")`,
    "<",
    sql`(${parameter("afterCheckpointId")}, ${parameter("afterThreadId")}, ${parameter("afterCheckpointNs")})`,
  );
}

/** Whether a checkpoint is the newest of its namespace, without a lookup for each row. */
function isInNewest(eb: Builder, { narrowed }: ListConditions, parameter: Parameter<ListParams>): Predicate {
  const newest = eb
    .selectFrom("checkpoints as newest")
    .$if(narrowed.includes("threadId"), (rows) => rows.where("newest.thread_id", "=", parameter("threadId")))
    .groupBy(["newest.thread_id", "newest.checkpoint_ns"])
    .select(["newest.thread_id", "newest.checkpoint_ns"])
    .select(sql<string>`max(newest.checkpoint_id collate "C")`.as("checkpoint_id"));
  return sql<SqlBool>`(checkpoints.thread_id, checkpoints.checkpoint_ns, checkpoints.checkpoint_id) in (${newest})`;
}
