import { sql } from "kysely";
import type { CheckpointTables } from "../../../db/checkpoint-tables.js";
import { runStatement } from "../../../db/run-statement.js";
import { Statement } from "../../../db/statement.js";
import { storedSize } from "../stored-size.js";
import type { RowCounts } from "../../row-counts.js";

/** What a thread has in all tables. */
export interface ThreadSizeRow extends RowCounts {
  readonly namespaces: number;
}

/** Counts the rows of a thread, in all of its namespaces. */
export async function measureThread(tables: CheckpointTables, threadId: string): Promise<ThreadSizeRow> {
  const [row] = await runStatement(tables, countAll, { threadId });
  return row ?? { namespaces: 0, checkpoints: 0, writes: 0, blobs: 0, bytes: 0 };
}

const COUNT = /* @__PURE__ */ sql<number>`count(*)`;
const BYTES = /* @__PURE__ */ sql<number>`coalesce(sum(${storedSize("blob")}), 0)`;

const countAll = /* @__PURE__ */ new Statement<{ readonly threadId: string }, ThreadSizeRow>(
  (db, parameter) =>
    db
      .with("header", (qb) =>
        qb
          .selectFrom("checkpoints")
          .select("checkpoint_ns")
          .select(COUNT.as("n"))
          .where("thread_id", "=", parameter("threadId"))
          .groupBy("checkpoint_ns"),
      )
      .with("written", (qb) =>
        qb
          .selectFrom("checkpoint_writes")
          .select("checkpoint_ns")
          .select([COUNT.as("n"), BYTES.as("bytes")])
          .where("thread_id", "=", parameter("threadId"))
          .groupBy("checkpoint_ns"),
      )
      .with("value", (qb) =>
        qb
          .selectFrom("checkpoint_blobs")
          .select("checkpoint_ns")
          .select([COUNT.as("n"), BYTES.as("bytes")])
          .where("thread_id", "=", parameter("threadId"))
          .groupBy("checkpoint_ns"),
      )
      .selectNoFrom([
        sql<number>`(select count(*) from (
          select checkpoint_ns from header union select checkpoint_ns from written union select checkpoint_ns from value
        ) as each)::float8`.as("namespaces"),
        sql<number>`(select coalesce(sum(n), 0) from header)::float8`.as("checkpoints"),
        sql<number>`(select coalesce(sum(n), 0) from written)::float8`.as("writes"),
        sql<number>`(select coalesce(sum(n), 0) from value)::float8`.as("blobs"),
        sql<number>`(
          (select coalesce(sum(bytes), 0) from written) + (select coalesce(sum(bytes), 0) from value)
        )::float8`.as("bytes"),
      ]),
);
