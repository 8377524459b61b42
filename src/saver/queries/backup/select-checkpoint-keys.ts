import type { CheckpointTables } from "../../../db/checkpoint-tables.js";
import { runStatement } from "../../../db/run-statement.js";
import { Statement } from "../../../db/statement.js";
import type { CopiedKey } from "../life/copy-rows.js";

/** What identifies the checkpoints of a thread, in all of its namespaces. */
export function selectCheckpointKeys(tables: CheckpointTables, threadId: string): Promise<CopiedKey[]> {
  return runStatement(tables, keys, { threadId });
}

const keys = /* @__PURE__ */ new Statement<{ readonly threadId: string }, CopiedKey>((db, parameter) =>
  db
    .selectFrom("checkpoints")
    .where("thread_id", "=", parameter("threadId"))
    .select(["checkpoint_ns as checkpointNs", "checkpoint_id as checkpointId"]),
);
