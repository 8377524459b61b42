import { type RawBuilder, sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import type { RowCounts } from "../../saver/model/row-counts.js";
import { migratedColumn } from "../../saver/queries/migrated-column.js";
import { storedSize } from "../../saver/queries/stored-size.js";

/** What a thread has in all tables. */
export interface ThreadSizeRow extends RowCounts {
  thread_id: string;
  /** None where the thread has no rows. */
  namespaces: number;
}

/** Counts the rows of each thread, in all of its namespaces. */
export function measureThreads(call: CallContext, threadIds: readonly string[]): Promise<ThreadSizeRow[]> {
  return runStatement(call, countAll, { threadIds });
}

type Kind = "checkpoints" | "writes" | "blobs";

const GIVEN = /* @__PURE__ */ sql.ref<string>("given.thread_id");

const countAll = /* @__PURE__ */ new Statement<{ readonly threadIds: readonly string[] }, ThreadSizeRow>(
  (db, parameter) =>
    db
      .selectFrom(
        sql<{ thread_id: string }>`unnest(${parameter("threadIds")}::text[])`.as<"given">(
          sql`given(thread_id)`,
        ),
      )
      .innerJoinLateral(
        (eb) =>
          eb
            .selectFrom(
              db
                .selectFrom("checkpoints")
                .select("checkpoint_ns")
                .select([kind("checkpoints"), sql<number | null>`null::integer`.as("bytes")])
                .where("thread_id", "=", GIVEN)
                .unionAll(
                  db
                    .selectFrom("checkpoint_writes")
                    .select("checkpoint_ns")
                    .select([kind("writes"), storedSize("blob").as("bytes")])
                    .where("thread_id", "=", GIVEN),
                )
                .unionAll(
                  db
                    .selectFrom("checkpoint_blobs")
                    .select("checkpoint_ns")
                    .select([kind("blobs"), storedSize("blob").as("bytes")])
                    .where("thread_id", "=", GIVEN),
                )
                .as("part"),
            )
            .select([
              sql<number>`count(distinct part.checkpoint_ns)::float8`.as("namespaces"),
              rowsIn("checkpoints").as("checkpoints"),
              rowsIn("writes").as("writes"),
              rowsIn("blobs").as("blobs"),
              sql<number>`coalesce(sum(part.bytes), 0)::float8`.as("bytes"),
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
      .select(migratedColumn(db).as("migrated")),
);

function kind(name: Kind) {
  return sql<Kind>`${sql.lit(name)}::text`.as("kind");
}

function rowsIn(name: Kind): RawBuilder<number> {
  return sql<number>`(count(*) filter (where part.kind = ${sql.lit(name)}))::float8`;
}
