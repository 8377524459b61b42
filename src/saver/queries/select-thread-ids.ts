import { type QueryCreator, type RawBuilder, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import type { CallContext } from "../../db/call-context.js";
import { placementOf } from "../../db/placement/placement.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";

/**
 * The ids of the next threads that have a row in any table, in the order of the primary keys. It is a loose index scan: it
 * jumps from one thread to the next, and skips the rows in between. Without lookups it reads the index entries of as many
 * threads (N4).
 *
 * @param after - The last thread of the previous page.
 */
export async function selectThreadIds(
  call: CallContext,
  after: string | undefined,
  pageSize: number,
): Promise<string[]> {
  // A thread id is never "".
  const statement = (await placementOf(call)).isOnNodes ? nextGrouped : nextThreads;
  const rows = await runStatement(call, statement, { after: after ?? "", pageSize });
  return rows.map(({ thread_id }) => thread_id);
}

interface PageParams {
  readonly after: string;
  readonly pageSize: number;
}

/** `null` comes after the last thread. */
interface ThreadRow {
  thread_id: string | null;
}

const nextThreads = new Statement<PageParams, { thread_id: string }>((db, parameter) =>
  db
    .withRecursive("walk", (qb) =>
      qb
        .selectFrom(
          sql<ThreadRow>`(select ${firstThread(db, sql<string>`${parameter("after")}::text`)})`.as<"start">(
            sql`start(thread_id)`,
          ),
        )
        .select(["start.thread_id", sql<number>`1`.as("n")])
        .unionAll((recursive) =>
          recursive
            .selectFrom("walk")
            .select([
              firstThread(db, sql.ref<string>("walk.thread_id")).as("thread_id"),
              sql<number>`walk.n + 1`.as("n"),
            ])
            .where("walk.thread_id", "is not", null)
            .where("walk.n", "<", parameter("pageSize")),
        ),
    )
    .selectFrom("walk")
    .select("walk.thread_id")
    .where("walk.thread_id", "is not", null)
    .$narrowType<{ thread_id: string }>(),
);

const nextGrouped = new Statement<PageParams, { thread_id: string }>((db, parameter) => {
  const after = (table: (typeof THREAD_TABLES)[number]) =>
    db.selectFrom(table).select("thread_id").where("thread_id", ">", parameter("after"));
  return db
    .selectFrom(
      after("checkpoints").unionAll(after("checkpoint_writes")).unionAll(after("checkpoint_blobs")).as("row"),
    )
    .select("row.thread_id")
    .groupBy("row.thread_id")
    .orderBy("row.thread_id")
    .limit(parameter("pageSize"));
});

/** The first thread after `after` in any table, in the collation of the column, which is also that of the index. */
function firstThread(
  db: QueryCreator<CheckpointDatabase>,
  after: RawBuilder<string>,
): RawBuilder<string | null> {
  const first = THREAD_TABLES.map(
    (table) =>
      sql`(${db.selectFrom(table).select("thread_id").where("thread_id", ">", after).orderBy("thread_id").limit(sql.lit(1))})`,
  );
  return sql<
    string | null
  >`(select min(thread_id) from (${sql.join(first, sql` union all `)}) as next(thread_id))`;
}

/** The tables with rows of threads. */
export const THREAD_TABLES = ["checkpoints", "checkpoint_writes", "checkpoint_blobs"] as const;
