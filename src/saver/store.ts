import type { CheckpointTables } from "../db/checkpoint-tables.js";
import { runTransaction } from "../db/run-statement.js";
import { DEFAULT_SIZE_LIMITS } from "../db/size-limits.js";
import type { BoundStatement } from "../db/statement.js";
import type { GuardStep } from "../db/transaction-steps.js";
import { type BatchOperation, resolveBatch } from "./codec/resolve-batch.js";
import { type Portion, splitRows } from "./codec/split-rows.js";
import { deleteThread } from "./queries/delete-thread.js";
import { deleteThreads } from "./queries/delete-threads.js";
import { type EncodedCheckpoint, putCheckpoint } from "./queries/put-checkpoint.js";
import { putLongBlob } from "./queries/put-long-blob.js";
import { putLongWrite } from "./queries/put-long-write.js";
import { type EncodedWrites, putPendingWrites } from "./queries/put-pending-writes.js";
import { putRows } from "./queries/put-rows.js";
import { putTombstones } from "./queries/tombstones.js";
import { writeGuard } from "./write-guard.js";
import type { WritableTables } from "./write-rules.js";

/** Stores a checkpoint: in one statement, or in a transaction of several where it is long or rules are to be kept. */
export async function storeCheckpoint(tables: WritableTables, checkpoint: EncodedCheckpoint): Promise<void> {
  const operation = { kind: "put", checkpoint } as const;
  const guard = writeGuard(tables, [operation]);
  const isPlain = guard.length === 0 && !isLong(tables, checkpoint.blobs);
  await (isPlain ? putCheckpoint(tables, checkpoint) : storeBatch(tables, [operation], guard));
}

/** Stores the writes of a task: in one statement, or in a transaction of several as {@link storeCheckpoint} does. */
export async function storeWrites(tables: WritableTables, writes: EncodedWrites): Promise<void> {
  const operation = { kind: "putWrites", writes } as const;
  const guard = writeGuard(tables, [operation]);
  const isPlain = guard.length === 0 && !isLong(tables, writes.writes);
  await (isPlain ? putPendingWrites(tables, writes) : storeBatch(tables, [operation], guard));
}

/** Deletes a thread: in one statement, or in a transaction where a tombstone is kept of it. */
export async function removeThread(tables: WritableTables, threadId: string): Promise<void> {
  if (tables.rules?.keepTombstones === true) await storeBatch(tables, [{ kind: "deleteThread", threadId }]);
  else await deleteThread(tables, threadId);
}

/**
 * Does what a batch has collected: all of it or nothing, in one statement, or in a transaction of several where threads
 * are deleted, there is very much to store, or rules are to be kept. Whatever is deleted is deleted first: a statement
 * can't delete and insert the same row.
 */
export async function storeBatch(
  tables: WritableTables,
  operations: readonly BatchOperation[],
  guard: readonly GuardStep[] = writeGuard(tables, operations),
): Promise<void> {
  const { deletedThreads, ...rows } = resolveBatch(operations);
  const { schema, rules } = tables;
  const deletes = deletedThreads.length > 0;
  const statements = [
    ...(deletes && rules?.keepTombstones === true ? [putTombstones(schema, deletedThreads)] : []),
    ...(deletes ? [deleteThreads(schema, deletedThreads)] : []),
    ...splitRows(rows, limitOf(tables)).map((portion) => toStatement(schema, portion)),
  ];
  await runTransaction(tables, { guard, statements });
}

function toStatement(schema: string, portion: Portion): BoundStatement<unknown> {
  switch (portion.kind) {
    case "longWrite":
      return putLongWrite(schema, portion.row);
    case "longBlob":
      return putLongBlob(schema, portion.row);
    case "rows":
      return putRows(schema, portion);
  }
}

function isLong(tables: CheckpointTables, values: readonly { readonly blob: Uint8Array | null }[]): boolean {
  return values.reduce((sum, { blob }) => sum + (blob?.byteLength ?? 0), 0) > limitOf(tables);
}

function limitOf({ limits = DEFAULT_SIZE_LIMITS }: CheckpointTables): number {
  return limits.statementBytes;
}
