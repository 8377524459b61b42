import { sql, type SqlBool } from "kysely";
import type { CheckpointDigestRow, WriteDigestRow } from "../../backup/queries/digest-rows.js";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import type { LockRow } from "../../saver/queries/take-locks.js";
import { headerSize } from "../../retention/queries/deleted-checkpoints.js";

interface ThreadParams {
  readonly threadId: string;
}

const ISOLATION = sql<string>`current_setting('transaction_isolation')`;

/** Locks all pending writes of a thread until the transaction ends, in the order of their key (C2). */
export const lockWritesOfThread = new Statement<ThreadParams, LockRow>((db, parameter) =>
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

/**
 * Locks all values of a thread until the transaction ends, in the order of their key (C2). A concurrent `put` that stores one of
 * them again waits for this transaction, or this statement waits for the `put`.
 */
export const lockBlobsOfThread = new Statement<ThreadParams, LockRow>((db, parameter) =>
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

type CheckpointRowKey = Pick<CheckpointDigestRow, "checkpoint_ns" | "checkpoint_id">;
type WriteRowKey = Pick<WriteDigestRow, "checkpoint_ns" | "checkpoint_id" | "task_id" | "idx" | "bytes">;

interface DeletedCheckpoints extends ThreadParams {
  readonly checkpointNss: readonly string[];
  readonly checkpointIds: readonly string[];
}

/** How many rows were deleted, and the size of their headers and metadata, or of their values. */
interface DeletedSize {
  readonly deleted: number;
  readonly bytes: number;
}

function checkpointKeys(threadId: string, rows: readonly CheckpointRowKey[]): DeletedCheckpoints {
  return {
    threadId,
    checkpointNss: rows.map((row) => row.checkpoint_ns),
    checkpointIds: rows.map((row) => row.checkpoint_id),
  };
}

/** Deletes checkpoints by their keys. An earlier statement of the transaction has to lock and compare them (C7). */
export async function deleteCheckpointsByKey(
  call: CallContext,
  threadId: string,
  rows: readonly CheckpointRowKey[],
): Promise<DeletedSize> {
  const [deleted] = await runStatement(call, deleteCheckpoints, checkpointKeys(threadId, rows));
  return deleted ?? { deleted: 0, bytes: 0 };
}

/**
 * Deletes pending writes by their keys, except those whose checkpoint is stored. An earlier statement of the transaction has to
 * lock and compare them. Writes that come meanwhile stay.
 */
export async function deleteWritesByKey(
  call: CallContext,
  threadId: string,
  rows: readonly WriteRowKey[],
): Promise<DeletedSize> {
  const [deleted] = await runStatement(call, deleteWrites, {
    ...checkpointKeys(threadId, rows),
    taskIds: rows.map((row) => row.task_id),
    positions: rows.map(({ idx }) => idx),
  });
  return { deleted: deleted?.deleted ?? 0, bytes: rows.reduce((sum, row) => sum + (row.bytes ?? 0), 0) };
}

const DELETED = sql<number>`count(*)::float8`.as("deleted");

const deleteCheckpoints = new Statement<DeletedCheckpoints, DeletedSize>((db, parameter) =>
  db
    .with("gone", (qb) =>
      qb
        .deleteFrom("checkpoints")
        .where("thread_id", "=", parameter("threadId"))
        .where(
          sql<SqlBool>`(checkpoint_ns, checkpoint_id) in (
            select * from unnest(${parameter("checkpointNss")}::text[], ${parameter("checkpointIds")}::text[]))`,
        )
        // Not the size (N3).
        .returning(["checkpoint", "metadata"]),
    )
    .selectFrom("gone")
    .select([DELETED, sql<number>`coalesce(sum(${headerSize()}), 0)::float8`.as("bytes")]),
);

const deleteWrites = new Statement<
  DeletedCheckpoints & { readonly taskIds: readonly string[]; readonly positions: readonly number[] },
  Pick<DeletedSize, "deleted">
>((db, parameter) =>
  db
    .with("gone", (qb) =>
      qb
        .deleteFrom("checkpoint_writes")
        .where("thread_id", "=", parameter("threadId"))
        .where(
          sql<SqlBool>`(checkpoint_ns, checkpoint_id, task_id, idx) in (
            select * from unnest(
              ${parameter("checkpointNss")}::text[], ${parameter("checkpointIds")}::text[],
              ${parameter("taskIds")}::text[], ${parameter("positions")}::integer[]))`,
        )
        .where(
          (eb) =>
            sql<SqlBool>`((checkpoint_ns, checkpoint_id) in (${eb
              .selectFrom("checkpoints")
              .select(["checkpoint_ns", "checkpoint_id"])
              .where("thread_id", "=", parameter("threadId"))
              .where(
                sql<SqlBool>`checkpoint_id = any (${parameter("checkpointIds")}::text[])`,
              )})) is not true`,
        )
        .returning("idx"),
    )
    .selectFrom("gone")
    .select(DELETED),
);
