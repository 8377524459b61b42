import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";

/** The type of a value or of a write, and its key. */
export interface StoredTypeRow {
  readonly checkpoint_ns: string;
  readonly channel: string;
  readonly type: string;
  /** Of a value. */
  readonly version: string | null;
  /** Of a write, as the following ones. */
  readonly checkpoint_id: string | null;
  readonly task_id: string | null;
  readonly idx: number | null;
}

/** Lists the types of all values and writes of a thread. It reads no value. */
export function typesOfThread(call: CallContext, threadId: string): Promise<StoredTypeRow[]> {
  return runStatement(call, types, { threadId });
}

const types = /* @__PURE__ */ new Statement<{ readonly threadId: string }, StoredTypeRow>((db, parameter) =>
  db
    .selectFrom("checkpoint_blobs")
    .where("thread_id", "=", parameter("threadId"))
    .select(["checkpoint_ns", "channel", "type", sql<string | null>`version`.as("version")])
    .select([
      sql<string | null>`null::text`.as("checkpoint_id"),
      sql<string | null>`null::text`.as("task_id"),
      sql<number | null>`null::integer`.as("idx"),
    ])
    .unionAll(
      db
        .selectFrom("checkpoint_writes")
        .where("thread_id", "=", parameter("threadId"))
        .select(["checkpoint_ns", "channel", sql<string>`coalesce(type, 'json')`.as("type")])
        .select(sql<string | null>`null::text`.as("version"))
        .select([
          sql<string | null>`checkpoint_id`.as("checkpoint_id"),
          sql<string | null>`task_id`.as("task_id"),
          sql<number | null>`idx`.as("idx"),
        ]),
    ),
);
