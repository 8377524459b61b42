import { sql, type SqlBool } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { StatementFamily } from "../../db/statements/statement.js";
import type { CheckpointRef } from "../../saver/notifications/watch-channel.js";
import {
  type CheckpointRefRow,
  isWatched,
  type WatchedParams,
  watchedParams,
  type WatchedScope,
} from "./watched-scope.js";

/** The newest known checkpoint of each namespace. */
interface KnownCheckpoints {
  readonly namespaces: readonly string[];
  /** In the order of `namespaces`. */
  readonly ids: readonly string[];
  /** The newest known id in all other namespaces. */
  readonly floor: string;
}

/** Reads up to `limit` checkpoints that are newer than the known ones, oldest first. */
export async function selectLaterCheckpoints(
  call: CallContext,
  scope: WatchedScope,
  known: KnownCheckpoints & { readonly limit: number },
): Promise<CheckpointRef[]> {
  const isOneNamespace = scope.checkpointNs !== undefined;
  const statement = later.of(isOneNamespace);
  const rows = await runStatement(call, statement, { ...watchedParams(scope), ...known });
  return rows.map((row) => ({ checkpointNs: row.checkpoint_ns, checkpointId: row.checkpoint_id }));
}

interface LaterParams extends KnownCheckpoints, WatchedParams {
  readonly limit: number;
}

const later = /* @__PURE__ */ new StatementFamily<boolean, LaterParams, CheckpointRefRow>(
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
