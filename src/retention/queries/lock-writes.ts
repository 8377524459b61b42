import { sql, type SqlBool } from "kysely";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import type { LockRow } from "../../saver/queries/take-locks.js";
import type { CheckpointsKey } from "./lock-checkpoints.js";

/**
 * Locks the pending writes of checkpoints until the transaction ends. A concurrent transaction that restores one of them waits
 * for this one, or this statement waits for it.
 */
export function lockWrites(schema: string, key: CheckpointsKey): BoundStatement<LockRow> {
  return lockRows.bind(schema, key);
}

const lockRows = /* @__PURE__ */ new Statement<CheckpointsKey, LockRow>((db, parameter) =>
  db
    .selectFrom(
      db
        .selectFrom("checkpoint_writes")
        .select("idx")
        .where("thread_id", "=", parameter("threadId"))
        .where("checkpoint_ns", "=", parameter("checkpointNs"))
        .where(sql<SqlBool>`checkpoint_id = any (${parameter("checkpointIds")}::text[])`)
        // Every transaction locks writes in this order, so no two deadlock.
        .orderBy(sql`checkpoint_id collate "C"`)
        .orderBy(sql`task_id collate "C"`)
        .orderBy("idx")
        .forUpdate()
        .as("locked"),
    )
    .select([
      sql<string>`current_setting('transaction_isolation')`.as("isolation"),
      sql<string>`count(*)::text`.as("locked"),
    ]),
);
