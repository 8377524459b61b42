import { sql, type SqlBool } from "kysely";
import { queryOf } from "../../db/statements/run-statement.js";

/** The conversation of a thread. */
interface ConversationRow {
  readonly thread_id: string;
  /** JSON text. */
  readonly metadata: string;
}

/** Finds the threads whose conversations match a pattern of `ilike` in their title, owner or other metadata. */
export const conversationsWith = queryOf<
  { readonly pattern: string; readonly limit: number },
  Pick<ConversationRow, "thread_id">
>((db, parameter) =>
  db
    .selectFrom("checkpoint_conversations")
    .where(sql<SqlBool>`metadata::text ilike ${parameter("pattern")}`)
    .select("thread_id")
    .limit(parameter("limit")),
);

/** Reads the conversations of threads. */
export const conversationsOf = queryOf<{ readonly threadIds: readonly string[] }, ConversationRow>(
  (db, parameter) =>
    db
      .selectFrom("checkpoint_conversations")
      .where(sql<SqlBool>`thread_id = any (${parameter("threadIds")}::text[])`)
      .select(["thread_id", sql<string>`metadata::text`.as("metadata")]),
);
