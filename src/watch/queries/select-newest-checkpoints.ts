import { sql, type SqlBool } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { StatementFamily } from "../../db/statements/statement.js";
import { UUID6 } from "../../saver/model/checkpoint-time.js";
import type { CheckpointRef } from "../../saver/notifications/watch-channel.js";
import {
  type CheckpointRefRow,
  isWatched,
  type WatchedParams,
  watchedParams,
  type WatchedScope,
} from "./watched-scope.js";

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
export async function selectNewestCheckpoints(
  call: CallContext,
  scope: WatchedScope,
  ignored: IdRange,
): Promise<CheckpointRef[]> {
  const isOneNamespace = scope.checkpointNs !== undefined;
  const statement = newest.of(isOneNamespace);
  const rows = await runStatement(call, statement, { ...watchedParams(scope), ...ignored });
  return rows.map((row) => ({ checkpointNs: row.checkpoint_ns, checkpointId: row.checkpoint_id }));
}

const newest = /* @__PURE__ */ new StatementFamily<boolean, WatchedParams & IdRange, CheckpointRefRow>(
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
