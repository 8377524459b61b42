import { type Expression, type SqlBool, sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import type { Parameter } from "../../db/statements/statement.js";
import { StatementFamily } from "../../db/statements/statement-family.js";
import { UUID6 } from "../../saver/model/checkpoint-time.js";

/** The checkpoints of a thread, or of one of its namespaces. */
export interface WatchedScope {
  readonly threadId: string;
  /** All where it is `undefined`. */
  readonly checkpointNs: string | undefined;
}

/** A checkpoint of the thread. */
export interface NewCheckpointRow {
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string;
}

/** Ids that are later than `from` and not later than `until`. */
export interface IdRange {
  readonly from: string;
  readonly until: string;
}

/**
 * Reads the newest checkpoint of each namespace.
 *
 * @param made - Leaves out those whose ids were made in that time.
 */
export function newestCheckpoints(
  call: CallContext,
  { threadId, checkpointNs }: WatchedScope,
  made: IdRange,
): Promise<NewCheckpointRow[]> {
  const inOneNs = checkpointNs !== undefined;
  const params = { threadId, checkpointNs: checkpointNs ?? "", ...made };
  return runStatement(call, newest.of(String(inOneNs), inOneNs), params);
}

/** What the newest that is known is. */
export interface KnownCheckpoints {
  readonly namespaces: readonly string[];
  /** In the order of the namespaces. */
  readonly ids: readonly string[];
  /** For all other namespaces. */
  readonly floor: string;
}

/** Reads which checkpoints there are that are later than those that are known, the oldest first, up to `limit`. */
export function laterCheckpoints(
  call: CallContext,
  { threadId, checkpointNs }: WatchedScope,
  known: KnownCheckpoints & { readonly limit: number },
): Promise<NewCheckpointRow[]> {
  const inOneNs = checkpointNs !== undefined;
  const params = { threadId, checkpointNs: checkpointNs ?? "", ...known };
  return runStatement(call, later.of(String(inOneNs), inOneNs), params);
}

interface NewestParams extends IdRange {
  readonly threadId: string;
  readonly checkpointNs: string;
}

const newest = /* @__PURE__ */ new StatementFamily<boolean, NewestParams, NewCheckpointRow>(
  (inOneNs) => (db, parameter) =>
    db
      .selectFrom("checkpoints")
      .select("checkpoint_ns")
      .select(sql<string>`max(checkpoint_id collate "C")`.as("checkpoint_id"))
      .where(ofScope(parameter, inOneNs))
      .where(
        sql<SqlBool>`not (checkpoint_id collate "C" > ${parameter("from")}
          and checkpoint_id collate "C" <= ${parameter("until")}
          and checkpoint_id ~ ${sql.lit(UUID6.source)})`,
      )
      .groupBy("checkpoint_ns"),
);

interface LaterParams extends KnownCheckpoints {
  readonly threadId: string;
  readonly checkpointNs: string;
  readonly limit: number;
}

const later = /* @__PURE__ */ new StatementFamily<boolean, LaterParams, NewCheckpointRow>(
  (inOneNs) => (db, parameter) =>
    db
      .selectFrom("checkpoints")
      .leftJoin(
        sql<{ ns: string; id: string }>`unnest(
          ${parameter("namespaces")}::text[], ${parameter("ids")}::text[])`.as<"known">(sql`known(ns, id)`),
        "known.ns",
        "checkpoint_ns",
      )
      .select(["checkpoint_ns", "checkpoint_id"])
      .where(ofScope(parameter, inOneNs))
      .where(sql<SqlBool>`checkpoint_id collate "C" > coalesce(known.id, ${parameter("floor")}::text)`)
      .orderBy(sql`checkpoint_id collate "C"`)
      .orderBy(sql`checkpoint_ns collate "C"`)
      .limit(sql<number>`${parameter("limit")}::integer`),
);

function ofScope(
  parameter: Parameter<{ readonly threadId: string; readonly checkpointNs: string }>,
  inOneNs: boolean,
): Expression<SqlBool> {
  const ofThread = sql<SqlBool>`thread_id = ${parameter("threadId")}`;
  return inOneNs ? sql<SqlBool>`${ofThread} and checkpoint_ns = ${parameter("checkpointNs")}` : ofThread;
}
