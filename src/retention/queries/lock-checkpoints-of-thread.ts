import { sql } from "kysely";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";

/**
 * Locks all checkpoints of a thread until the transaction ends. A concurrent `put` on one of them waits for this transaction,
 * or this statement waits for the `put`.
 */
export function lockCheckpointsOfThread(schema: string, threadId: string): BoundStatement<unknown> {
  return lockRows.bind(schema, { threadId });
}

const lockRows = /* @__PURE__ */ new Statement<{ readonly threadId: string }, unknown>((db, parameter) =>
  db
    .selectFrom(
      db
        .selectFrom("checkpoints")
        .select("type")
        .where("thread_id", "=", parameter("threadId"))
        // Every transaction locks checkpoints in this order, so no two deadlock.
        .orderBy(sql`checkpoint_ns collate "C"`)
        .orderBy(sql`checkpoint_id collate "C"`)
        .forUpdate()
        .as("locked"),
    )
    .select(sql<string>`count(*)::text`.as("rows")),
);
