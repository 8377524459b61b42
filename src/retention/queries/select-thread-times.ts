import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import { migratedColumn } from "../../saver/queries/migrated-column.js";
import { newestOfThread } from "../../saver/queries/newest-of-thread.js";

/** What tells when a thread was written to last. */
export interface ThreadTimeRow {
  thread_id: string;
  /** Its newest checkpoint. */
  checkpoint_id: string;
  /** What the header of that one says of its time. */
  ts: string | null;
}

interface ThreadsParams {
  readonly threadIds: readonly string[];
}

/** Reads the newest checkpoints of threads; those that have none are left out. */
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

/** Locks all checkpoints of a thread until the transaction ends: whoever goes on from one of them waits, or is waited for. */
export function lockCheckpointsOfThread(schema: string, threadId: string): BoundStatement<unknown> {
  return lockAll.bind(schema, { threadId });
}

const lockAll = /* @__PURE__ */ new Statement<{ readonly threadId: string }, unknown>((db, parameter) =>
  db
    .selectFrom(
      db
        .selectFrom("checkpoints")
        .select("type")
        .where("thread_id", "=", parameter("threadId"))
        // Whoever locks several takes them in this order.
        .orderBy(sql`checkpoint_ns collate "C"`)
        .orderBy(sql`checkpoint_id collate "C"`)
        .forUpdate()
        .as("locked"),
    )
    .select(sql<string>`count(*)`.as("rows")),
);
