import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";

/** Deletes the tombstones of threads, and returns a row for each deleted one. */
export function deleteTombstones(
  call: CallContext,
  threadIds: readonly string[],
): Promise<{ thread_id: string }[]> {
  return runStatement(call, deleteByThread, { threadIds });
}

const deleteByThread = /* @__PURE__ */ new Statement<
  { readonly threadIds: readonly string[] },
  { thread_id: string }
>((db, parameter) =>
  db
    .deleteFrom("checkpoint_tombstones")
    .where(sql<boolean>`thread_id = any (${parameter("threadIds")}::text[])`)
    .returning("thread_id"),
);
