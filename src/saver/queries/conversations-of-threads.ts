import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { RememberedBySchema } from "../../db/placement/placement.js";
import { runBound, runStatement } from "../../db/statements/run-statement.js";
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
  return knownConversations(call) ?? askForConversations(call);
}

async function askForConversations(call: CallContext): Promise<boolean> {
  return rememberFound(call, await runBound(call, findConversations(call.schema)));
}

/** What {@link hasConversations} returns, where it sends no query; `undefined` where it would. */
export function knownConversations(call: CallContext): boolean | undefined {
  const known = KNOWN.get(call);
  if (known === undefined) return undefined;
  if (known.absentUntil === undefined) return true;
  return known.absentUntil > performance.now() ? false : undefined;
}

/** Looks whether the schema has conversations, for {@link rememberFound}. */
export function findConversations(schema: string): BoundStatement<unknown> {
  return conversationTable.bind(schema, { schema });
}

/** Remembers what {@link findConversations} has found, and returns whether there are conversations. */
export function rememberFound(call: CallContext, { length }: readonly unknown[]): boolean {
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

/** The conversation of a thread as a backup has it. */
export interface StoredConversation {
  /** In ISO 8601, in UTC. */
  readonly created_at: string;
  readonly updated_at: string;
  /** JSON text, as Postgres prints it. */
  readonly metadata: string;
}

/**
 * Reads the conversation of a thread. It sends nothing where the schema has no conversations.
 *
 * @param locks - Whether it stays as it is until the transaction ends. Default `false`.
 */
export async function readConversationRow(
  call: CallContext,
  threadId: string,
  locks = false,
): Promise<StoredConversation | undefined> {
  if (!(await hasConversations(call))) return undefined;
  const [row] = await runStatement(call, reading.of(locks), { threadId });
  return row;
}

const reading = new StatementFamily<boolean, { readonly threadId: string }, StoredConversation>(
  (locks) => (db, parameter) =>
    db
      .selectFrom("checkpoint_conversations")
      .where("thread_id", "=", parameter("threadId"))
      .select([isoText("created_at").as("created_at"), isoText("updated_at").as("updated_at")])
      .select(sql<string>`metadata::text`.as("metadata"))
      .$if(locks, (row) => row.forUpdate()),
);

function isoText(column: string): RawBuilder<string> {
  return sql<string>`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

interface RestoreParams extends StoredConversation {
  readonly threadId: string;
}

/** Stores the conversation of a restored thread. One that is stored already stays. */
export const restoreConversation = new Statement<RestoreParams, unknown>((db, parameter) =>
  db
    .insertInto("checkpoint_conversations")
    .values({
      thread_id: parameter("threadId"),
      created_at: sql<Date>`${parameter("created_at")}::text::timestamptz`,
      updated_at: sql<Date>`${parameter("updated_at")}::text::timestamptz`,
      metadata: sql<string>`${parameter("metadata")}::jsonb`,
    })
    .onConflict((conflict) => conflict.column("thread_id").doNothing()),
);

/** Reads the next threads that have a conversation and no checkpoint, no value and no write, in the order of their ids. */
export async function conversationsWithoutRows(
  call: CallContext,
  after: string,
): Promise<{ readonly thread_id: string }[]> {
  return (await hasConversations(call)) ? runStatement(call, withoutRows, { after }) : [];
}

const withoutRows = new Statement<{ readonly after: string }, { readonly thread_id: string }>(
  (db, parameter) =>
    db
      .selectFrom("checkpoint_conversations as stored")
      .where("stored.thread_id", ">", parameter("after"))
      .where((eb) => {
        const id = eb.ref("stored.thread_id");
        const rows = [
          eb.selectFrom("checkpoints as row").where("row.thread_id", "=", id).select("row.thread_id"),
          eb.selectFrom("checkpoint_writes as row").where("row.thread_id", "=", id).select("row.thread_id"),
          eb.selectFrom("checkpoint_blobs as row").where("row.thread_id", "=", id).select("row.thread_id"),
        ];
        return sql<SqlBool>`coalesce(${sql.join(rows.map((each) => each.limit(sql.lit(1))))}) is null`;
      })
      .select("stored.thread_id")
      .orderBy("stored.thread_id")
      .limit(sql.lit(1_000)),
);

/** Deletes the conversations of deleted threads. It comes after the rows of the threads, as the trigger of the table does (C2). */
export function deleteConversations(
  schema: string,
  { naming, threadId, items: threadIds }: ThreadGroup<string>,
): BoundStatement<unknown> {
  return deletion.of(naming).bind(schema, { threadIds, threadId });
}

const deletion = new StatementFamily<ThreadNaming, ThreadsParams, unknown>((naming) => (db, parameter) => {
  if (naming === "parameter")
    return db.deleteFrom("checkpoint_conversations").where("thread_id", "=", parameter("threadId"));
  return db
    .with("held", (qb) =>
      qb
        .selectFrom("checkpoint_conversations")
        .select("thread_id")
        .where(sql<SqlBool>`thread_id = any (${parameter("threadIds")}::text[])`)
        .orderBy("thread_id")
        .forUpdate(),
    )
    .deleteFrom("checkpoint_conversations")
    .using("held")
    .whereRef("checkpoint_conversations.thread_id", "=", "held.thread_id");
});

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
