import { type AliasableExpression, type QueryCreator, type RawBuilder, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";

/**
 * Locks all rows of a thread, so that nobody deletes one before the transaction ends. It takes the locks in the order
 * checkpoints, writes, blobs, as every writer does.
 */
export function lockThread(schema: string, threadId: string): BoundStatement<unknown>[] {
  return [lockCheckpoints, writes, blobs].map((statement) => statement.bind(schema, { threadId }));
}

/** Locks the checkpoints of a thread, so that nobody deletes one, or what it references, before the transaction ends. */
export const lockCheckpoints = countLocked((db, threadId) =>
  db.selectFrom("checkpoints").select("type").where("thread_id", "=", threadId).forKeyShare(),
);

const writes = countLocked((db, threadId) =>
  db.selectFrom("checkpoint_writes").select("type").where("thread_id", "=", threadId).forKeyShare(),
);

const blobs = countLocked((db, threadId) =>
  db.selectFrom("checkpoint_blobs").select("type").where("thread_id", "=", threadId).forKeyShare(),
);

/** Counts the locked rows, so that the server does not send them. */
function countLocked(
  locked: (
    db: QueryCreator<CheckpointDatabase>,
    threadId: RawBuilder<string>,
  ) => AliasableExpression<{ type: string | null }>,
): Statement<{ readonly threadId: string }, unknown> {
  return new Statement((db, parameter) =>
    db
      .selectFrom(locked(db, parameter("threadId")).as("locked"))
      .select(sql<string>`count(*)::text`.as("rows")),
  );
}
