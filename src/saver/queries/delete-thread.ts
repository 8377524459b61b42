import type { CheckpointTables } from "../../db/checkpoint-tables.js";
import { runStatement } from "../../db/run-statement.js";
import { Statement } from "../../db/statement.js";

/** Removes a thread with all of its namespaces, in one statement: no reader sees it half gone. */
export async function deleteThread(tables: CheckpointTables, threadId: string): Promise<void> {
  await runStatement(tables, deleteAll, { threadId });
}

const deleteAll = /* @__PURE__ */ new Statement<{ readonly threadId: string }, unknown>((db, parameter) =>
  db
    .with("blobs", (qb) => qb.deleteFrom("checkpoint_blobs").where("thread_id", "=", parameter("threadId")))
    .with("writes", (qb) => qb.deleteFrom("checkpoint_writes").where("thread_id", "=", parameter("threadId")))
    .deleteFrom("checkpoints")
    .where("thread_id", "=", parameter("threadId")),
);
