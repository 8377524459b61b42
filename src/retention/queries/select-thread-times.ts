import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { StatementFamily } from "../../db/statements/statement.js";
import { THREAD_TTL_KEY } from "../../saver/model/thread-ttl.js";
import { migratedColumn } from "../../saver/queries/select-tuple-rows.js";
import { newestOfThread } from "../../saver/queries/newest-of-thread.js";
import { runPerThread, type ThreadNaming, type ThreadsParams } from "../../saver/queries/thread-groups.js";
import { givenThread, givenThreads } from "./given-namespaces.js";

/** The newest checkpoint of a thread and its time. */
export interface ThreadTimeRow {
  thread_id: string;
  checkpoint_id: string;
  /** The `ts` in the header of that checkpoint. */
  ts: string | null;
  /** The time to live in its metadata. */
  ttl: string | null;
}

/** Reads the newest checkpoint of each thread, and omits threads without checkpoints. */
export function selectThreadTimes(call: CallContext, threadIds: readonly string[]): Promise<ThreadTimeRow[]> {
  return runPerThread(call, times, threadIds);
}

const times = /* @__PURE__ */ new StatementFamily<ThreadNaming, ThreadsParams, ThreadTimeRow>(
  (naming) => (db, parameter) => {
    const threadId = givenThread(naming, parameter);
    return db
      .selectFrom(givenThreads(parameter))
      .innerJoinLateral(newestOfThread(db, threadId), (join) => join.onTrue())
      .innerJoinLateral(
        (eb) =>
          eb
            .selectFrom("checkpoints as stored")
            .select([
              sql<string | null>`stored.checkpoint ->> 'ts'`.as("ts"),
              sql<string | null>`stored.metadata ->> ${sql.lit(THREAD_TTL_KEY)}`.as("ttl"),
            ])
            .where("stored.thread_id", "=", threadId)
            .whereRef("stored.checkpoint_ns", "=", "newest.checkpoint_ns")
            .whereRef("stored.checkpoint_id", "=", "newest.checkpoint_id")
            .limit(sql.lit(1))
            .as("head"),
        (join) => join.onTrue(),
      )
      .select(["given.thread_id", "newest.checkpoint_id", "head.ts", "head.ttl"])
      .select(migratedColumn(db, threadId).as("migrated"));
  },
);
