import { loadOnce } from "../../db/async/load-once.js";
import { type CallContext, statementBytesOf } from "../../db/call-context.js";
import { placementOf } from "../../db/placement/placement.js";
import { runTransaction } from "../../db/statements/run-statement.js";
import type { BoundStatement } from "../../db/statements/statement.js";
import type { GuardStep } from "../../db/statements/transaction-steps.js";
import { CheckpointNotFoundError } from "../../errors/index.js";
import type { SaverCall } from "../call/saver-call.js";
import { MissingParents, type RequiredParent, requiredParents } from "../codec/required-parents.js";
import { type BatchOperation, checkpointsOf, resolveBatch, threadOf } from "../codec/resolve-batch.js";
import { splitRows } from "../codec/split-rows.js";
import { rowKey } from "../model/keys.js";
import { notificationScope } from "../notifications/watch-channel.js";
import type { CheckpointRows, EncodedCheckpoint } from "../queries/checkpoint-rows.js";
import {
  deleteConversations,
  findConversations,
  hasConversations,
  knownConversations,
  rememberFound,
} from "../queries/conversations-of-threads.js";
import { deleteThreads } from "../queries/delete-threads.js";
import { isInsertedBlob, putRows } from "../queries/put-rows.js";
import { type LockRow, readIsolation, refuseSnapshots } from "../queries/take-locks.js";
import { threadGroups } from "../queries/thread-groups.js";
import { putTombstones } from "../queries/tombstones.js";
import { baseGuard, parentGuard } from "./held-guards.js";
import { newestSteps } from "./newest-steps.js";
import { rememberValues } from "./store-each.js";

const loadOnNodes = loadOnce(() => import("../on-nodes/index.js"));

/**
 * Stores and deletes in one transaction, with locks on the parents whose values the new checkpoints reference (C3). A prune may
 * have deleted a parent since it was read. Then the transaction is rolled back, and the next attempt stores these values too.
 */
export async function storeInTransaction(
  call: SaverCall,
  operations: readonly BatchOperation[],
  guard: readonly GuardStep[],
): Promise<void> {
  const { stored, orphans } = requiredParents(operations);
  const known = new Set(orphans);
  const checks = [...isolationGuard(call, operations), ...guard];
  for (;;) {
    const complete = await Promise.all(operations.map((operation) => withAllValues(operation, known)));
    const required = stored.filter(({ checkpoint }) => !known.has(checkpoint));
    const stop = await storeRows(call, complete, checks, required);
    if (!(stop instanceof MissingParents)) return;
    for (const checkpoint of stop.checkpoints) known.add(checkpoint);
  }
}

/**
 * Stores operations, none of which is a deletion, with one statement for each table.
 *
 * @returns Whether each was stored: all of them, or none where something that one requires is gone.
 */
export async function storeGroup(
  call: SaverCall,
  operations: readonly BatchOperation[],
  guard: readonly GuardStep[],
): Promise<readonly boolean[]> {
  const results = await storeRows(call, operations, guard, requiredParents(operations).stored);
  if (results instanceof MissingParents) return operations.map(() => false);
  const inserted = new Map<string, number>();
  for (const { thread_id, checkpoint_ns, is_new_value } of results.flat().filter(isInsertedBlob)) {
    const key = rowKey(thread_id, checkpoint_ns);
    inserted.set(key, (inserted.get(key) ?? 0) + Number(is_new_value));
  }
  for (const checkpoint of checkpointsOf(operations)) {
    const { threadId, checkpointNs } = checkpoint;
    rememberValues(call, checkpoint, inserted.get(rowKey(threadId, checkpointNs)) ?? 0);
  }
  return operations.map(() => true);
}

/**
 * Stores the rows of operations in one transaction: first it locks what they require, then it stores.
 *
 * @returns The rows of each statement; or which checkpoints require something that is gone. Then nothing is stored.
 */
async function storeRows(
  call: SaverCall,
  operations: readonly BatchOperation[],
  guard: readonly GuardStep[],
  required: readonly RequiredParent[],
): Promise<unknown[][] | MissingParents> {
  const newest = await newestSteps(call, checkpointsOf(operations));
  const nodes = await nodesOf(call);
  const deleted = operations.flatMap((each) => (each.kind === "deleteThread" ? [each.threadId] : []));
  if (nodes !== undefined && deleted.length > 0) await hasConversations(call);
  // The first deletion of a process looks in its own round trip.
  const looks = deleted.length > 0 && knownConversations(call) === undefined;
  const steps = {
    guard: [
      ...guard,
      ...newest.guard,
      ...(await parentGuard(call, required)),
      ...(await baseGuard(call, operations)),
    ],
    statements: [
      ...(await writingStatements(call, operations)),
      ...newest.removal,
      ...(looks ? [findConversations(call.schema)] : []),
    ],
  };
  try {
    const rows = await (nodes === undefined
      ? runTransaction(call, steps)
      : nodes.transactAndNotify(call, operations, steps));
    if (looks && rememberFound(call, rows.at(-1) ?? [])) await deleteTheirConversations(call, deleted);
    return rows;
  } catch (error) {
    // A guard rolls its transaction back by an error.
    if (error instanceof MissingParents) return error;
    throw error;
  }
}

async function deleteTheirConversations(call: SaverCall, threadIds: readonly string[]): Promise<void> {
  const groups = await threadGroups(call, threadIds, (threadId) => threadId);
  await runTransaction(call, { statements: groups.map((group) => deleteConversations(call.schema, group)) });
}

/**
 * A deletion decides by what was committed before its last statement. In a transaction of the caller's own with snapshot
 * isolation, statements do not see that.
 */
function isolationGuard(
  { database, schema }: SaverCall,
  operations: readonly BatchOperation[],
): readonly GuardStep[] {
  const deletes = operations.some(({ kind }) => kind === "deleteThread");
  if (!deletes || !database.kysely.isTransaction) return [];
  const step: GuardStep<LockRow> = {
    statement: readIsolation(schema),
    check: (rows) => {
      refuseSnapshots(rows, "deleteThread needs");
    },
  };
  return [step];
}

/**
 * Makes splices whole, and adds all values of an orphaned checkpoint to its operation. A concurrent collection of one of them
 * waits for the put.
 */
async function withAllValues(
  operation: BatchOperation,
  orphans: ReadonlySet<EncodedCheckpoint>,
): Promise<BatchOperation> {
  if (operation.kind !== "put") return operation;
  const whole = await withWholeValues(operation.checkpoint);
  if (!orphans.has(operation.checkpoint)) return { kind: "put", checkpoint: whole };
  const { carriedBlobs, ...checkpoint } = whole;
  if (carriedBlobs === undefined) throw new CheckpointNotFoundError(parentOf(checkpoint));
  const changed = checkpoint.blobs.filter(({ isCarried }) => isCarried !== true);
  const blobs = [...changed, ...(await carriedBlobs())];
  return { kind: "put", checkpoint: { ...checkpoint, blobs, requiresParent: false } };
}

/** Replaces splices by whole values, which need no other row. */
async function withWholeValues(checkpoint: EncodedCheckpoint): Promise<EncodedCheckpoint> {
  if (checkpoint.blobs.every(({ splice }) => splice === undefined)) return checkpoint;
  const blobs = checkpoint.blobs.map(async ({ splice, ...blob }) => ({
    ...blob,
    ...(await splice?.whole()),
  }));
  return { ...checkpoint, blobs: await Promise.all(blobs) };
}

function parentOf({ threadId, checkpointNs, parentCheckpointId }: EncodedCheckpoint) {
  return { threadId, checkpointNs, checkpointId: parentCheckpointId ?? undefined };
}

async function writingStatements(
  call: SaverCall,
  operations: readonly BatchOperation[],
): Promise<BoundStatement<unknown>[]> {
  const { schema, policy } = call;
  const statements: BoundStatement<unknown>[] = [];
  for (const { items, ...threads } of await threadGroups(call, operations, threadOf)) {
    const { deletedThreads, ...rows } = resolveBatch(items);
    const deleted = { ...threads, items: deletedThreads };
    if (deletedThreads.length > 0) {
      if (policy.keepTombstones === true) statements.push(putTombstones(schema, deleted));
      statements.push(...deleteThreads(schema, deleted));
      if (knownConversations(call) === true) statements.push(deleteConversations(schema, deleted));
    }
    for (const portion of splitRows(rows, statementBytesOf(call)))
      statements.push(
        ...(await insertingStatements(call, threads.threadId, portion, notificationScope(call))),
      );
  }
  return statements;
}

/**
 * Returns the statements that store rows.
 *
 * @param threadId - Their thread, where they are of one.
 * @param scope - The scope of the notifications that they send, or `undefined` for none.
 */
export async function insertingStatements(
  call: CallContext,
  threadId: string,
  rows: CheckpointRows,
  scope?: string,
): Promise<readonly BoundStatement<unknown>[]> {
  const nodes = await nodesOf(call);
  return nodes === undefined
    ? putRows(call.schema, rows, scope)
    : nodes.putRowsOfThread(call.schema, threadId, rows);
}

/** Returns what stores rows on nodes, where they are there. */
async function nodesOf(call: CallContext) {
  return (await placementOf(call)).isOnNodes ? loadOnNodes() : undefined;
}
