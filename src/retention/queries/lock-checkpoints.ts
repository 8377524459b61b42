import { sql, type SqlBool } from "kysely";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import type { NamespaceKey } from "../../saver/model/checkpoint-key.js";
import type { LockRow } from "../../saver/queries/take-locks.js";

/** Checkpoints of one namespace. */
export interface CheckpointsKey extends NamespaceKey {
  readonly checkpointIds: readonly string[];
}

/**
 * Locks checkpoint rows until the transaction ends. A concurrent `put` that carries values over from one of them waits for
 * this transaction, or this statement waits for the `put`.
 */
export function lockCheckpoints(schema: string, key: CheckpointsKey): BoundStatement<LockRow> {
  return lockRows.bind(schema, key);
}

const lockRows = /* @__PURE__ */ new Statement<CheckpointsKey, LockRow>((db, parameter) =>
  db
    .selectFrom("checkpoints")
    .select(sql<string>`current_setting('transaction_isolation')`.as("isolation"))
    .where("thread_id", "=", parameter("threadId"))
    .where("checkpoint_ns", "=", parameter("checkpointNs"))
    .where(sql<SqlBool>`checkpoint_id = any (${parameter("checkpointIds")}::text[])`)
    // Every transaction locks checkpoints in this order, so no two deadlock.
    .orderBy(sql`checkpoint_id collate "C"`)
    .forUpdate(),
);
