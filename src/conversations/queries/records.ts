import { type RawBuilder, sql } from "kysely";
import { CURRENT_TIME } from "../../db/expiry.js";
import { timeText } from "../../db/number-text.js";
import { Statement } from "../../db/statements/statement.js";

/** A record of the table. */
export interface ConversationRow {
  readonly thread_id: string;
  /** Milliseconds since 1970, as text. */
  readonly created_ms: string;
  readonly updated_ms: string;
  /** JSON text. */
  readonly metadata: string;
}

// A change returns them on nodes as well, so they are immutable (N3): the time since 1970, not the time itself.
const EPOCH = sql`to_timestamp(0)`;

/** Selects a {@link ConversationRow}. */
export const RECORD = [
  sql<string>`thread_id`.as("thread_id"),
  timeText(sql`${sql.ref("created_at")} - ${EPOCH}`).as("created_ms"),
  timeText(sql`${sql.ref("updated_at")} - ${EPOCH}`).as("updated_ms"),
  sql<string>`metadata::text`.as("metadata"),
];

interface ThreadParams {
  readonly threadId: string;
}

interface ChangeParams extends ThreadParams {
  /** JSON text. */
  readonly metadata: string;
}

/** Reads the record of a thread. */
export const getRecord = new Statement<ThreadParams, ConversationRow>((db, parameter) =>
  db.selectFrom("checkpoint_conversations").where("thread_id", "=", parameter("threadId")).select(RECORD),
);

/** Creates the record of a thread, or replaces its metadata. */
export const putRecord = new Statement<ChangeParams, ConversationRow>((db, parameter) =>
  db
    .insertInto("checkpoint_conversations")
    .values({
      thread_id: parameter("threadId"),
      metadata: jsonb(parameter("metadata")),
      created_at: CURRENT_TIME,
      updated_at: CURRENT_TIME,
    })
    .onConflict((conflict) =>
      conflict.column("thread_id").doUpdateSet({
        metadata: sql`excluded.metadata`,
        updated_at: sql`excluded.updated_at`,
      }),
    )
    .returning(RECORD),
);

/** Replaces some keys of the metadata of a record. Without any it only sets the time. */
export const patchRecord = new Statement<ChangeParams, ConversationRow>((db, parameter) =>
  db
    .updateTable("checkpoint_conversations")
    .where("thread_id", "=", parameter("threadId"))
    .set({
      metadata: sql`checkpoint_conversations.metadata || ${jsonb(parameter("metadata"))}`,
      updated_at: CURRENT_TIME,
    })
    .returning(RECORD),
);

/** The text of a parameter as JSONB. */
export function jsonb(text: RawBuilder<string>): RawBuilder<string> {
  return sql<string>`${text}::jsonb`;
}
