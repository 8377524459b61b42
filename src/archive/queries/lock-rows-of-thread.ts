import { sql } from "kysely";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import type { LockRow } from "../../saver/queries/take-locks.js";

interface ThreadParams {
  readonly threadId: string;
}

/** Locks all pending writes of a thread until the transaction ends, in the order of their key (C2). */
export function lockWritesOfThread(schema: string, threadId: string): BoundStatement<LockRow> {
  return lockWrites.bind(schema, { threadId });
}

/**
 * Locks all values of a thread until the transaction ends, in the order of their key (C2). A concurrent `put` that stores one of
 * them again waits for this transaction, or this statement waits for the `put`.
 */
export function lockBlobsOfThread(schema: string, threadId: string): BoundStatement<LockRow> {
  return lockBlobs.bind(schema, { threadId });
}

const ISOLATION = /* @__PURE__ */ sql<string>`current_setting('transaction_isolation')`;

const lockWrites = /* @__PURE__ */ new Statement<ThreadParams, LockRow>((db, parameter) =>
  db
    .selectFrom(
      db
        .selectFrom("checkpoint_writes")
        .select("idx")
        .where("thread_id", "=", parameter("threadId"))
        .orderBy(sql`checkpoint_ns collate "C"`)
        .orderBy(sql`checkpoint_id collate "C"`)
        .orderBy(sql`task_id collate "C"`)
        .orderBy("idx")
        .forUpdate()
        .as("locked"),
    )
    .select([ISOLATION.as("isolation"), sql<string>`count(*)::text`.as("locked")]),
);

const lockBlobs = /* @__PURE__ */ new Statement<ThreadParams, LockRow>((db, parameter) =>
  db
    .selectFrom(
      db
        .selectFrom("checkpoint_blobs")
        .select("version")
        .where("thread_id", "=", parameter("threadId"))
        .orderBy(sql`checkpoint_ns collate "C"`)
        .orderBy(sql`channel collate "C"`)
        .orderBy(sql`version collate "C"`)
        .forUpdate()
        .as("locked"),
    )
    .select([ISOLATION.as("isolation"), sql<string>`count(*)::text`.as("locked")]),
);
