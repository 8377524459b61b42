import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";

/** The number of checkpoints of one namespace of a thread. */
export interface NamespaceCount {
  readonly namespace: string;
  readonly checkpoints: number;
}

/** Counts the checkpoints of each namespace of a thread, ordered by namespace. Namespaces without checkpoints are left out. */
export function countCheckpoints(tables: CallContext, threadId: string): Promise<NamespaceCount[]> {
  return runStatement(tables, counts, { threadId });
}

const counts = /* @__PURE__ */ new Statement<{ readonly threadId: string }, NamespaceCount>((db, parameter) =>
  db
    .selectFrom("checkpoints")
    .where("thread_id", "=", parameter("threadId"))
    .select(["checkpoint_ns as namespace", sql<number>`count(*)::float8`.as("checkpoints")])
    .groupBy("checkpoint_ns")
    .orderBy("checkpoint_ns"),
);
