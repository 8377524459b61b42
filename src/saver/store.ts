import type { CheckpointTables } from "../db/checkpoint-tables.js";
import { runTransaction } from "../db/run-statement.js";
import { DEFAULT_SIZE_LIMITS } from "../db/size-limits.js";
import type { BoundStatement } from "../db/statement.js";
import { type BatchOperation, resolveBatch } from "./codec/resolve-batch.js";
import { type Portion, splitRows } from "./codec/split-rows.js";
import { deleteThreads } from "./queries/delete-threads.js";
import { type EncodedCheckpoint, putCheckpoint } from "./queries/put-checkpoint.js";
import { putLongBlob } from "./queries/put-long-blob.js";
import { putLongWrite } from "./queries/put-long-write.js";
import { type EncodedWrites, putPendingWrites } from "./queries/put-pending-writes.js";
import { putRows } from "./queries/put-rows.js";

/** Stores a checkpoint: in one statement, or in a transaction of several where its values are very long. */
export async function storeCheckpoint(
  tables: CheckpointTables,
  checkpoint: EncodedCheckpoint,
): Promise<void> {
  if (isLong(tables, checkpoint.blobs)) await storeBatch(tables, [{ kind: "put", checkpoint }]);
  else await putCheckpoint(tables, checkpoint);
}

/** Stores the writes of a task: in one statement, or in a transaction of several where its values are very long. */
export async function storeWrites(tables: CheckpointTables, writes: EncodedWrites): Promise<void> {
  if (isLong(tables, writes.writes)) await storeBatch(tables, [{ kind: "putWrites", writes }]);
  else await putPendingWrites(tables, writes);
}

/**
 * Does what a batch has collected: all of it or nothing, in one statement, or in a transaction of several where threads
 * are deleted or there is very much to store. Whatever is deleted is deleted by the first: a statement can't delete and
 * insert the same row.
 */
export async function storeBatch(
  tables: CheckpointTables,
  operations: readonly BatchOperation[],
): Promise<void> {
  const { deletedThreads, ...rows } = resolveBatch(operations);
  const { schema } = tables;
  const statements = [
    ...(deletedThreads.length === 0 ? [] : [deleteThreads(schema, deletedThreads)]),
    ...splitRows(rows, limitOf(tables)).map((portion) => toStatement(schema, portion)),
  ];
  await runTransaction(tables, { statements });
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
