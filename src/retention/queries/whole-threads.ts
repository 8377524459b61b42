import { type Expression, type RawBuilder, sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { StatementFamily, Statement } from "../../db/statements/statement.js";
import type { RowCounts } from "../../saver/model/row-counts.js";
import { migratedColumn } from "../../saver/queries/select-tuple-rows.js";
import { storedSize } from "../../saver/queries/sent-row.js";
import { runPerThread, type ThreadNaming, type ThreadsParams } from "../../saver/queries/thread-groups.js";
import { headerSize } from "./deleted-checkpoints.js";
import { givenThread, givenThreads } from "./per-namespace.js";
import { THREAD_TTL_KEY } from "../../saver/model/thread-ttl.js";
import { newestOfThread } from "../../saver/queries/newest-of-thread.js";

/** How many rows a thread has in each table. */
export interface RowsOfThreadRow extends RowCounts {
  thread_id: string;
  /** Zero for a thread without rows. */
  namespaces: number;
}

/** Counts the rows of each thread, over all of its namespaces. */
export function countRowsOfThreads(
  call: CallContext,
  threadIds: readonly string[],
): Promise<RowsOfThreadRow[]> {
  return runPerThread(call, countRows, threadIds);
}

type Counted = "checkpoints" | "writes" | "blobs";

const countRows = new StatementFamily<ThreadNaming, ThreadsParams, RowsOfThreadRow>(
  (naming) => (db, parameter) => {
    const threadId = givenThread(naming, parameter);
    return db
      .selectFrom(givenThreads(parameter))
      .innerJoinLateral(
        (eb) =>
          eb
            .selectFrom(
              db
                .selectFrom("checkpoints")
                .select("checkpoint_ns")
                .select(countsOf("checkpoints", headerSize()))
                .where("thread_id", "=", threadId)
                .unionAll(
                  db
                    .selectFrom("checkpoint_writes")
                    .select("checkpoint_ns")
                    .select(countsOf("writes", storedSize("blob")))
                    .where("thread_id", "=", threadId),
                )
                .unionAll(
                  db
                    .selectFrom("checkpoint_blobs")
                    .select("checkpoint_ns")
                    .select(countsOf("blobs", storedSize("blob")))
                    .where("thread_id", "=", threadId),
                )
                .as("part"),
            )
            .select([
              sql<number>`count(distinct part.checkpoint_ns)::float8`.as("namespaces"),
              total("checkpoints").as("checkpoints"),
              total("writes").as("writes"),
              total("blobs").as("blobs"),
              total("bytes").as("bytes"),
            ])
            .as("each"),
        (join) => join.onTrue(),
      )
      .select([
        "given.thread_id",
        "each.namespaces",
        "each.checkpoints",
        "each.writes",
        "each.blobs",
        "each.bytes",
      ])
      .select(migratedColumn(db, threadId).as("migrated"));
  },
);

/** The columns that count one row of a table: 1 in the column of its table, and 0 in the others. */
function countsOf(table: Counted, bytes: Expression<number | null>) {
  const one = (counted: Counted) => sql<number>`${sql.lit(counted === table ? 1 : 0)}`;
  return [
    one("checkpoints").as("checkpoints"),
    one("writes").as("writes"),
    one("blobs").as("blobs"),
    sql<number | null>`${bytes}`.as("bytes"),
  ] as const;
}

function total(column: Counted | "bytes"): RawBuilder<number> {
  return sql<number>`coalesce(sum(${sql.ref(`part.${column}`)}), 0)::float8`;
}

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

const times = new StatementFamily<ThreadNaming, ThreadsParams, ThreadTimeRow>((naming) => (db, parameter) => {
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
});

/**
 * Locks all checkpoints of a thread until the transaction ends. A concurrent `put` on one of them waits for this transaction,
 * or this statement waits for the `put`.
 */
export const lockCheckpointsOfThread = new Statement<{ readonly threadId: string }, unknown>(
  (db, parameter) =>
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
