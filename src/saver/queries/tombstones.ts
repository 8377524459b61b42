import { sql } from "kysely";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";

/** A thread that was deleted for good. */
export interface TombstoneRow {
  readonly thread_id: string;
  /** When, in milliseconds since 1970. */
  readonly deleted_at_ms: number;
}

/** When a thread was deleted, as {@link TombstoneRow} has it. */
export const DELETED_AT_MS = /* @__PURE__ */ sql<number>`(extract(epoch from deleted_at) * 1000)::float8`.as(
  "deleted_at_ms",
);

/** Reads which of the threads were deleted for good. */
export function selectTombstones(schema: string, threadIds: readonly string[]): BoundStatement<TombstoneRow> {
  return selectThose.bind(schema, { threadIds });
}

/** Notes that threads are deleted for good; of those noted already the first time counts. */
export function putTombstones(schema: string, threadIds: readonly string[]): BoundStatement<unknown> {
  return putThose.bind(schema, { threadIds });
}

interface ThreadParams {
  readonly threadIds: readonly string[];
}

const selectThose = /* @__PURE__ */ new Statement<ThreadParams, TombstoneRow>((db, parameter) =>
  db
    .selectFrom("checkpoint_tombstones")
    .select(["thread_id", DELETED_AT_MS])
    .where(sql<boolean>`thread_id = any (${parameter("threadIds")}::text[])`),
);

const putThose = /* @__PURE__ */ new Statement<ThreadParams, unknown>((db, parameter) =>
  db
    .insertInto("checkpoint_tombstones")
    .columns(["thread_id"])
    .expression((eb) =>
      eb
        .selectFrom(
          sql<{ thread_id: string }>`unnest(${parameter("threadIds")}::text[])`.as<"deleted">(
            sql`deleted(thread_id)`,
          ),
        )
        .select("deleted.thread_id"),
    )
    .onConflict((conflict) => conflict.column("thread_id").doNothing()),
);
