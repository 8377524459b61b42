import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { StatementFamily } from "../../db/statements/statement.js";

/** The key of a write within its thread. */
export interface WriteKeyRow {
  checkpoint_ns: string;
  checkpoint_id: string;
  task_id: string;
  idx: number;
  /** The length of the value. */
  bytes: number | null;
}

/** Reads the keys of a thread's writes in the order of their index, whether their checkpoint is stored or not. */
export function getWriteKeys(
  call: CallContext,
  threadId: string,
  after: WriteKeyRow | undefined,
  rows: number,
): Promise<WriteKeyRow[]> {
  const shape = after === undefined ? "first" : "next";
  const { checkpoint_ns = "", checkpoint_id = "", task_id = "", idx = 0 } = after ?? {};
  const key = { checkpoint_ns, checkpoint_id, task_id, idx };
  return runStatement(call, statements.of(shape), { threadId, rows, ...key });
}

interface WriteKeyParams extends Omit<WriteKeyRow, "bytes"> {
  readonly threadId: string;
  readonly rows: number;
}

const statements = /* @__PURE__ */ new StatementFamily<"first" | "next", WriteKeyParams, WriteKeyRow>(
  (shape) => (db, parameter) =>
    db
      .selectFrom("checkpoint_writes")
      .select([
        "checkpoint_ns",
        "checkpoint_id",
        "task_id",
        "idx",
        sql<number | null>`octet_length(blob)`.as("bytes"),
      ])
      .where("thread_id", "=", parameter("threadId"))
      .$if(shape === "next", (query) =>
        query.where(
          sql<boolean>`(checkpoint_ns, checkpoint_id, task_id, idx) > (${parameter("checkpoint_ns")}, ${parameter("checkpoint_id")}, ${parameter("task_id")}, ${parameter("idx")}::integer)`,
        ),
      )
      .orderBy("checkpoint_ns")
      .orderBy("checkpoint_id")
      .orderBy("task_id")
      .orderBy("idx")
      .limit(sql<number>`${parameter("rows")}::integer`),
);
