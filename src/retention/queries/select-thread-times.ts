import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import { migratedColumn } from "../../saver/queries/migrated-column.js";
import { newestOfThread } from "../../saver/queries/newest-of-thread.js";

/** The newest checkpoint of a thread and its time. */
export interface ThreadTimeRow {
  thread_id: string;
  checkpoint_id: string;
  /** The `ts` in the header of that checkpoint. */
  ts: string | null;
}

interface ThreadsParams {
  readonly threadIds: readonly string[];
}

/** Reads the newest checkpoint of each thread, and omits threads without checkpoints. */
export function selectThreadTimes(call: CallContext, threadIds: readonly string[]): Promise<ThreadTimeRow[]> {
  return runStatement(call, times, { threadIds });
}

const times = /* @__PURE__ */ new Statement<ThreadsParams, ThreadTimeRow>((db, parameter) =>
  db
    .selectFrom(
      sql<{ thread_id: string }>`unnest(${parameter("threadIds")}::text[])`.as<"given">(
        sql`given(thread_id)`,
      ),
    )
    .innerJoinLateral(newestOfThread(db, sql.ref<string>("given.thread_id")), (join) => join.onTrue())
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom("checkpoints as stored")
          .select(sql<string | null>`stored.checkpoint ->> 'ts'`.as("ts"))
          .whereRef("stored.thread_id", "=", "given.thread_id")
          .whereRef("stored.checkpoint_ns", "=", "newest.checkpoint_ns")
          .whereRef("stored.checkpoint_id", "=", "newest.checkpoint_id")
          .limit(sql.lit(1))
          .as("head"),
      (join) => join.onTrue(),
    )
    .select(["given.thread_id", "newest.checkpoint_id", "head.ts"])
    .select(migratedColumn(db).as("migrated")),
);
