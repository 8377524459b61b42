import { type QueryCreator, type RawBuilder, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";

/**
 * The ids of the next threads that have a row in any table, in the order of the primary keys: it goes from one thread to the
 * next by the index, past all the rows in between.
 *
 * @param after - The last thread of the page before.
 */
export async function selectThreadIds(
  call: CallContext,
  after: string | undefined,
  pageSize: number,
): Promise<string[]> {
  // No thread is called "".
  const rows = await runStatement(call, nextThreads, { after: after ?? "", pageSize });
  return rows.map(({ thread_id }) => thread_id);
}

interface PageParams {
  readonly after: string;
  readonly pageSize: number;
}

/** Behind the last thread comes one without a name. */
interface ThreadRow {
  thread_id: string | null;
}

const nextThreads = /* @__PURE__ */ new Statement<PageParams, { thread_id: string }>((db, parameter) =>
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

/** The first thread after another, of any table. In the columns' own collation, which is that of their index. */
function firstThread(
  db: QueryCreator<CheckpointDatabase>,
  after: RawBuilder<string>,
): RawBuilder<string | null> {
  const first = TABLES.map(
    (table) =>
      sql`(${db.selectFrom(table).select("thread_id").where("thread_id", ">", after).orderBy("thread_id").limit(sql.lit(1))})`,
  );
  return sql<
    string | null
  >`(select min(thread_id) from (${sql.join(first, sql` union all `)}) as next(thread_id))`;
}

const TABLES = ["checkpoints", "checkpoint_writes", "checkpoint_blobs"] as const;
