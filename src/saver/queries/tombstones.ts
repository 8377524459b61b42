import { sql } from "kysely";
import { timeText } from "../../db/number-text.js";
import { type BoundStatement, Statement, StatementFamily } from "../../db/statements/statement.js";
import { givenThreadId, type ThreadGroup, type ThreadNaming, type ThreadsParams } from "./thread-groups.js";

/** The tombstone of a deleted thread. */
export interface TombstoneRow {
  readonly thread_id: string;
  /** The time of the deletion, in milliseconds since 1970, as text. */
  readonly deleted_at_ms: string;
}

/** Selects the time of the deletion, as {@link TombstoneRow} has it. */
export const DELETED_AT_MS = timeText(sql.ref("deleted_at")).as("deleted_at_ms");

/** Reads the tombstones of threads. */
export function selectTombstones(schema: string, threadIds: readonly string[]): BoundStatement<TombstoneRow> {
  return selectThose.bind(schema, { threadIds });
}

/** Stores tombstones of threads. An existing tombstone keeps its time. */
export function putTombstones(
  schema: string,
  { naming, threadId, items: threadIds }: ThreadGroup<string>,
): BoundStatement<unknown> {
  return putThose.of(naming).bind(schema, { threadIds, threadId });
}

interface ThreadParams {
  readonly threadIds: readonly string[];
}

const selectThose = new Statement<ThreadParams, TombstoneRow>((db, parameter) =>
  db
    .selectFrom("checkpoint_tombstones")
    .select(["thread_id", DELETED_AT_MS])
    .where(sql<boolean>`thread_id = any (${parameter("threadIds")}::text[])`),
);

const putThose = new StatementFamily<ThreadNaming, ThreadsParams, unknown>(
  (naming) => (db, parameter) =>
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
          .select(givenThreadId(naming, parameter, "deleted.thread_id").as("thread_id")),
      )
      .onConflict((conflict) => conflict.column("thread_id").doNothing()),
);
