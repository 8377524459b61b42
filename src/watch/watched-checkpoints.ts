import { type RawBuilder, type SqlBool, sql } from "kysely";
import { type Parameter, StatementFamily } from "../db/statements/statement.js";
import type { CallContext } from "../db/call-context.js";
import { runStatement } from "../db/statements/run-statement.js";
import { UUID6 } from "../saver/model/checkpoint-time.js";
import type { CheckpointRef } from "../saver/notifications/watch-channel.js";

/** The checkpoints of a thread, or of one of its namespaces. */
export interface WatchedScope {
  readonly threadId: string;
  /** All namespaces when `undefined`. */
  readonly checkpointNs: string | undefined;
}

/** The parameters of a {@link WatchedScope}. */
interface WatchedParams {
  readonly threadId: string;
  /** Ignored for a scope of all namespaces. */
  readonly checkpointNs: string;
}

/** Whether a row of `checkpoints` is in the scope. */
function isWatched(parameter: Parameter<WatchedParams>, isOneNamespace: boolean): RawBuilder<SqlBool> {
  const isOfThread = sql<SqlBool>`thread_id = ${parameter("threadId")}`;
  return isOneNamespace
    ? sql<SqlBool>`${isOfThread} and checkpoint_ns = ${parameter("checkpointNs")}`
    : isOfThread;
}

/** A row that identifies a checkpoint within its thread. */
interface CheckpointRefRow {
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string;
}

/** The ids greater than `from` and up to `until`. */
interface IdRange {
  readonly from: string;
  readonly until: string;
}

/**
 * Reads the newest checkpoint of each namespace.
 *
 * @param ignored - Checkpoints with a UUID of version 6 in this range don't count.
 */
export function selectNewestCheckpoints(
  call: CallContext,
  scope: WatchedScope,
  ignored: IdRange,
): Promise<CheckpointRef[]> {
  return select(call, scope, newest, ignored);
}

const newest = new StatementFamily<boolean, WatchedParams & IdRange, CheckpointRefRow>(
  (isOneNamespace) => (db, parameter) =>
    db
      .selectFrom("checkpoints")
      .select("checkpoint_ns")
      .select(sql<string>`max(checkpoint_id collate "C")`.as("checkpoint_id"))
      .where(isWatched(parameter, isOneNamespace))
      .where(
        sql<SqlBool>`not (checkpoint_id collate "C" > ${parameter("from")}
          and checkpoint_id collate "C" <= ${parameter("until")}
          and checkpoint_id ~ ${sql.lit(UUID6.source)})`,
      )
      .groupBy("checkpoint_ns"),
);

/** The newest known checkpoint of each namespace. */
interface KnownCheckpoints {
  readonly namespaces: readonly string[];
  /** In the order of `namespaces`. */
  readonly ids: readonly string[];
  /** The newest known id in all other namespaces. */
  readonly floor: string;
}

/** Reads up to `limit` checkpoints that are newer than the known ones, oldest first. */
export function selectLaterCheckpoints(
  call: CallContext,
  scope: WatchedScope,
  known: KnownCheckpoints & { readonly limit: number },
): Promise<CheckpointRef[]> {
  return select(call, scope, later, known);
}

interface LaterParams extends KnownCheckpoints, WatchedParams {
  readonly limit: number;
}

const later = new StatementFamily<boolean, LaterParams, CheckpointRefRow>(
  (isOneNamespace) => (db, parameter) =>
    db
      .selectFrom("checkpoints")
      .leftJoin(
        sql<{ ns: string; id: string }>`unnest(
          ${parameter("namespaces")}::text[], ${parameter("ids")}::text[])`.as<"known">(sql`known(ns, id)`),
        "known.ns",
        "checkpoint_ns",
      )
      .select(["checkpoint_ns", "checkpoint_id"])
      .where(isWatched(parameter, isOneNamespace))
      .where(sql<SqlBool>`checkpoint_id collate "C" > coalesce(known.id, ${parameter("floor")}::text)`)
      .orderBy(sql`checkpoint_id collate "C"`)
      .orderBy(sql`checkpoint_ns collate "C"`)
      .limit(sql<number>`${parameter("limit")}::integer`),
);

async function select<Params>(
  call: CallContext,
  { threadId, checkpointNs }: WatchedScope,
  statements: StatementFamily<boolean, WatchedParams & Params, CheckpointRefRow>,
  params: Params,
): Promise<CheckpointRef[]> {
  const given = { threadId, checkpointNs: checkpointNs ?? "", ...params };
  const rows = await runStatement(call, statements.of(checkpointNs !== undefined), given);
  return rows.map((row) => ({ checkpointNs: row.checkpoint_ns, checkpointId: row.checkpoint_id }));
}
