import { type RawBuilder, sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { StatementFamily } from "../../db/statements/statement.js";
import { fewGivenThreads, givenThread } from "../../retention/queries/given-namespaces.js";
import { isOneThread, runPerThread, type ThreadNaming, type ThreadsParams } from "../../saver/queries/thread-groups.js";
import { storedSize } from "../../saver/queries/sent-row.js";

/** The stored bytes of a thread: headers, metadata, values and writes. */
export interface ThreadSizeRow {
  readonly thread_id: string;
  readonly bytes: number;
}

/** Measures threads. Postgres knows the size of a value without reading it. A thread without rows has the size 0. */
export function measureThreads(call: CallContext, threadIds: readonly string[]): Promise<ThreadSizeRow[]> {
  return runPerThread(call, sizes, threadIds);
}

const sizes = /* @__PURE__ */ new StatementFamily<ThreadNaming, ThreadsParams, ThreadSizeRow>(
  (naming) => (db, parameter) => {
    const threadId = givenThread(naming, parameter);
    return db
      .selectFrom(fewGivenThreads(parameter))
      .select("given.thread_id")
      .select((eb) => {
        const headers = eb
          .selectFrom("checkpoints as header")
          .where((row) => isOneThread(row.ref("header.thread_id"), threadId))
          .select(sumOf(storedSize("header.checkpoint"), storedSize("header.metadata")).as("bytes"));
        const values = eb
          .selectFrom("checkpoint_blobs as value")
          .where((row) => isOneThread(row.ref("value.thread_id"), threadId))
          .select(sumOf(storedSize("value.blob")).as("bytes"));
        const writes = eb
          .selectFrom("checkpoint_writes as write")
          .where((row) => isOneThread(row.ref("write.thread_id"), threadId))
          .select(sumOf(storedSize("write.blob")).as("bytes"));
        return sql<number>`(${headers}) + (${values}) + (${writes})`.as("bytes");
      });
  },
);

function sumOf(...sizesOfRow: readonly RawBuilder<number | null>[]): RawBuilder<number> {
  const parts = sizesOfRow.map((size) => sql`coalesce(${size}, 0)`);
  return sql<number>`coalesce(sum(${sql.join(parts, sql` + `)}), 0)::float8`;
}
