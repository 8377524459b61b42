import { sql, type SqlBool } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import { PermissionError } from "../../errors/index.js";
import { hasConversations } from "../../saver/queries/conversations-of-threads.js";

/** The conversation of a thread. */
interface ConversationRow {
  readonly thread_id: string;
  /** JSON text. */
  readonly metadata: string;
}

interface PatternParams {
  readonly pattern: string;
  readonly limit: number;
}

/** Finds the threads whose conversations match a pattern of `ilike` in their title, owner or other metadata. */
export function conversationsWith(
  call: CallContext,
  params: PatternParams,
): Promise<Pick<ConversationRow, "thread_id">[]> {
  return readIfAllowed(call, matching, params);
}

const matching = new Statement<PatternParams, Pick<ConversationRow, "thread_id">>((db, parameter) =>
  db
    .selectFrom("checkpoint_conversations")
    .where(sql<SqlBool>`metadata::text ilike ${parameter("pattern")}`)
    .select("thread_id")
    .limit(parameter("limit")),
);

/** Reads the conversations of threads. */
export function conversationsOf(call: CallContext, threadIds: readonly string[]): Promise<ConversationRow[]> {
  return readIfAllowed(call, ofThreads, { threadIds });
}

const ofThreads = new Statement<{ readonly threadIds: readonly string[] }, ConversationRow>((db, parameter) =>
  db
    .selectFrom("checkpoint_conversations")
    .where(sql<SqlBool>`thread_id = any (${parameter("threadIds")}::text[])`)
    .select(["thread_id", sql<string>`metadata::text`.as("metadata")]),
);

/** Finds nothing where there is no table, and for a role whose privileges are older than the table: threads have no titles then. */
async function readIfAllowed<Params extends object, Row>(
  call: CallContext,
  statement: Statement<Params, Row>,
  params: Params,
): Promise<Row[]> {
  if (!(await hasConversations(call))) return [];
  try {
    return await runStatement(call, statement, params);
  } catch (error) {
    if (error instanceof PermissionError) return [];
    throw error;
  }
}
