import { type RawBuilder, sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import { storedSize } from "../../saver/queries/stored-size.js";

/** The stored bytes of a thread: headers, metadata, values and writes. */
export interface ThreadSizeRow {
  readonly thread_id: string;
  readonly bytes: number;
}

/** Measures threads. Postgres knows the size of a value without reading it. A thread without rows has the size 0. */
export function measureThreads(call: CallContext, threadIds: readonly string[]): Promise<ThreadSizeRow[]> {
  return runStatement(call, sizes, { threadIds });
}

const sizes = /* @__PURE__ */ new Statement<{ readonly threadIds: readonly string[] }, ThreadSizeRow>(
  (db, parameter) =>
    db
      .selectFrom(
        sql<{ thread_id: string }>`unnest(${parameter("threadIds")}::text[])`.as<"given">(
          sql`given(thread_id)`,
        ),
      )
      .select("given.thread_id")
      .select((eb) => {
        const headers = eb
          .selectFrom("checkpoints as header")
          .whereRef("header.thread_id", "=", "given.thread_id")
          .select(sumOf(storedSize("header.checkpoint"), storedSize("header.metadata")).as("bytes"));
        const values = eb
          .selectFrom("checkpoint_blobs as value")
          .whereRef("value.thread_id", "=", "given.thread_id")
          .select(sumOf(storedSize("value.blob")).as("bytes"));
        const writes = eb
          .selectFrom("checkpoint_writes as write")
          .whereRef("write.thread_id", "=", "given.thread_id")
          .select(sumOf(storedSize("write.blob")).as("bytes"));
        return sql<number>`(${headers}) + (${values}) + (${writes})`.as("bytes");
      }),
);

function sumOf(...sizesOfRow: readonly RawBuilder<number | null>[]): RawBuilder<number> {
  const parts = sizesOfRow.map((size) => sql`coalesce(${size}, 0)`);
  return sql<number>`coalesce(sum(${sql.join(parts, sql` + `)}), 0)::float8`;
}
