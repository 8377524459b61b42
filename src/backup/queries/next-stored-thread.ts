import { type RawBuilder, sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { StatementFamily } from "../../db/statements/statement.js";

const TABLES = ["checkpoints", "checkpoint_blobs", "checkpoint_writes"] as const;

/**
 * Finds the next thread that has a row in any table, in the column's collation, by the tables' indexes.
 *
 * @param after - The preceding thread; `undefined` finds the first thread.
 */
export async function nextStoredThread(
  call: CallContext,
  after: string | undefined,
): Promise<string | undefined> {
  const shape = after === undefined ? "first" : "next";
  const [row] = await runStatement(call, statements.of(shape), { after: after ?? "" });
  return row?.thread_id ?? undefined;
}

interface NextThreadRow {
  thread_id: string | null;
}

const statements = /* @__PURE__ */ new StatementFamily<
  "first" | "next",
  { readonly after: string },
  NextThreadRow
>((shape) => (db, parameter) => {
  const smallest = TABLES.map(
    (table): RawBuilder<string> =>
      sql`(${db
        .selectFrom(table)
        .select((eb) => eb.fn.min<string>("thread_id").as("thread_id"))
        .where("thread_id", shape === "first" ? ">=" : ">", parameter("after"))})`,
  );
  return db.selectNoFrom(sql<string | null>`least(${sql.join(smallest)})`.as("thread_id"));
});
