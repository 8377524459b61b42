import { type Expression, type ExpressionBuilder, type RawBuilder, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import type { RowCounts } from "../../saver/model/row-counts.js";

/** Counts the rows of a thread. */
export function countRows(schema: string, threadId: string): BoundStatement<RowCounts> {
  return counts.bind(schema, { threadId });
}

const counts = /* @__PURE__ */ new Statement<{ readonly threadId: string }, RowCounts>((db, parameter) =>
  db.selectNoFrom((eb) => countsOf(eb, parameter("threadId"))),
);

/** The number of rows of a thread in each table, and the length of its values. */
export function countsOf(eb: ExpressionBuilder<CheckpointDatabase, never>, threadId: RawBuilder<string>) {
  const writes = eb.selectFrom("checkpoint_writes").where("thread_id", "=", threadId);
  const blobs = eb.selectFrom("checkpoint_blobs").where("thread_id", "=", threadId);
  return [
    countOf(eb.selectFrom("checkpoints").where("thread_id", "=", threadId).select(ROWS)).as("checkpoints"),
    countOf(writes.select(ROWS)).as("writes"),
    countOf(blobs.select(ROWS)).as("blobs"),
    sql<number>`(${writes.select(BYTES)} + ${blobs.select(BYTES)})::float8`.as("bytes"),
  ] as const;
}

function countOf(rows: Expression<unknown>): RawBuilder<number> {
  return sql<number>`(${rows})::float8`;
}

const ROWS = /* @__PURE__ */ sql<number>`count(*)`.as("rows");
const BYTES = /* @__PURE__ */ sql<number>`coalesce(sum(octet_length(blob)), 0)`.as("bytes");
