import type { CallContext } from "../../db/call-context.js";
import { StatementFamily } from "../../db/statements/statement.js";
import { timeInId } from "../../saver/model/checkpoint-time.js";
import { migratedColumn } from "../../saver/queries/select-tuple-rows.js";
import { newestOfThread } from "../../saver/queries/newest-of-thread.js";
import {
  givenThreadId,
  runPerThread,
  type ThreadNaming,
  type ThreadsParams,
} from "../../saver/queries/thread-groups.js";
import { sql } from "kysely";

/** Of the threads, those whose newest checkpoint is not older than a time, or has an id without a time. */
export async function getRecentThreads(
  call: CallContext,
  threadIds: readonly string[],
  since: Date,
): Promise<string[]> {
  const rows = await runPerThread(call, newest, threadIds);
  const isRecent = (id: string) => (timeInId(id) ?? since) >= since;
  return rows.flatMap((row) => (isRecent(row.checkpoint_id) ? [row.thread_id] : []));
}

interface NewestRow {
  readonly thread_id: string;
  readonly checkpoint_id: string;
}

const newest = new StatementFamily<ThreadNaming, ThreadsParams, NewestRow>((naming) => (db, parameter) => {
  const threadId = givenThreadId(naming, parameter, "given.thread_id");
  return db
    .selectFrom(
      sql<{ thread_id: string }>`unnest(${parameter("threadIds")}::text[])`.as<"given">(
        sql`given(thread_id)`,
      ),
    )
    .innerJoinLateral(newestOfThread(db, threadId), (join) => join.onTrue())
    .select(["given.thread_id", "newest.checkpoint_id"])
    .select(migratedColumn(db, threadId).as("migrated"));
});
