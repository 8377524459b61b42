import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import { DELETED_AT_MS, type TombstoneRow } from "../../saver/queries/tombstones.js";

/** Reads a page of tombstones by thread, in the column's collation. */
export function listTombstoneRows(
  call: CallContext,
  after: string | undefined,
  limit: number,
): Promise<TombstoneRow[]> {
  return runStatement(call, page, { after: after ?? "", limit });
}

interface PageParams {
  readonly after: string;
  readonly limit: number;
}

// No thread has an empty id, so that the first page starts after it.
const page = new Statement<PageParams, TombstoneRow>((db, parameter) =>
  db
    .selectFrom("checkpoint_tombstones")
    .select(["thread_id", DELETED_AT_MS])
    .where("thread_id", ">", parameter("after"))
    .orderBy("thread_id")
    .limit(sql<number>`${parameter("limit")}::bigint`),
);

/** Deletes the tombstones of threads, and returns a row for each deleted one. */
export function deleteTombstones(
  call: CallContext,
  threadIds: readonly string[],
): Promise<{ thread_id: string }[]> {
  return runStatement(call, deleteByThread, { threadIds });
}

const deleteByThread = new Statement<{ readonly threadIds: readonly string[] }, { thread_id: string }>(
  (db, parameter) =>
    db
      .deleteFrom("checkpoint_tombstones")
      .where(sql<boolean>`thread_id = any (${parameter("threadIds")}::text[])`)
      .returning("thread_id"),
);
