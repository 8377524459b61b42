import { sql, type SqlBool } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { RememberedBySchema } from "../../db/placement/placement.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { type BoundStatement, Statement, StatementFamily } from "../../db/statements/statement.js";
import type { ThreadGroup, ThreadNaming, ThreadsParams } from "./thread-groups.js";

/** How long a schema counts as one without conversations. Then a call about whole threads looks again. In milliseconds. */
const ABSENT_FOR_MS = 60_000;

const KNOWN = new RememberedBySchema<{ readonly absentUntil: number | undefined }>();

/**
 * Returns whether the schema has the optional table of conversations, so that a call about whole threads handles their conversations as
 * well. It sends a query of the catalog once for each schema of a pool, and once a minute where there is no table.
 */
export function hasConversations(call: CallContext): boolean | Promise<boolean> {
  const known = KNOWN.get(call);
  if (known === undefined) return findConversations(call);
  if (known.absentUntil === undefined) return true;
  return known.absentUntil > performance.now() ? false : findConversations(call);
}

async function findConversations(call: CallContext): Promise<boolean> {
  const { length } = await runStatement(call, conversationTable, { schema: call.schema });
  KNOWN.set(call, { absentUntil: length > 0 ? undefined : performance.now() + ABSENT_FOR_MS });
  return length > 0;
}

/** Remembers that the schema has the table, so that the calls of this process need not look. */
export function rememberConversations(call: CallContext): void {
  KNOWN.set(call, { absentUntil: undefined });
}

const conversationTable = new Statement<{ readonly schema: string }, unknown>((db, parameter) =>
  db
    .selectNoFrom(sql.lit(1).as("found"))
    .where(
      sql<SqlBool>`to_regclass(format('%I.checkpoint_conversations', ${parameter("schema")}::text)) is not null`,
    ),
);

/** Deletes the conversations of deleted threads. It comes after the rows of the threads, as the trigger of the table does (C2). */
export function deleteConversations(
  schema: string,
  { naming, threadId, items: threadIds }: ThreadGroup<string>,
): BoundStatement<unknown> {
  return deletion.of(naming).bind(schema, { threadIds, threadId });
}

const deletion = new StatementFamily<ThreadNaming, ThreadsParams, unknown>(
  (naming) => (db, parameter) =>
    db
      .with("held", (qb) =>
        qb
          .selectFrom("checkpoint_conversations")
          .select("thread_id")
          .where(
            naming === "parameter"
              ? sql<SqlBool>`thread_id = ${parameter("threadId")}`
              : sql<SqlBool>`thread_id = any (${parameter("threadIds")}::text[])`,
          )
          .orderBy("thread_id")
          .forUpdate(),
      )
      .deleteFrom("checkpoint_conversations")
      .using("held")
      .whereRef("checkpoint_conversations.thread_id", "=", "held.thread_id"),
);

/** Gives the copy of a thread a conversation like that of its source. A conversation that the copy has already stays. */
export const copyConversation = new Statement<{ readonly source: string; readonly target: string }, unknown>(
  (db, parameter) =>
    db
      .insertInto("checkpoint_conversations")
      .columns(["thread_id", "metadata"])
      .expression((eb) =>
        eb
          .selectFrom("checkpoint_conversations")
          .where("thread_id", "=", parameter("source"))
          .select([sql<string>`${parameter("target")}::text`.as("thread_id"), "metadata"]),
      )
      .onConflict((conflict) => conflict.column("thread_id").doNothing()),
);
