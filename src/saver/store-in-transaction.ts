import type { BoundStatement } from "../db/statements/statement.js";
import type { GuardStep } from "../db/statements/transaction-steps.js";
import { CheckpointNotFoundError } from "../errors/index.js";
import type { SaverCall } from "./call/saver-call.js";
import { MissingParents, type RequiredParent, requiredParents } from "./codec/required-parents.js";
import { type BatchOperation, checkpointsOf, resolveBatch, threadOf } from "./codec/resolve-batch.js";
import { type Portion, splitRows } from "./codec/split-rows.js";
import { parentGuard } from "./parent-guard.js";
import { newestSteps } from "./newest-steps.js";
import { deleteThreads } from "./queries/delete-threads.js";
import type { EncodedCheckpoint } from "./queries/encoded-checkpoint.js";
import { putLongBlob } from "./queries/put-long-blob.js";
import { putLongWrite } from "./queries/put-long-write.js";
import { type LockRow, readIsolation, refuseSnapshots } from "./queries/take-locks.js";
import { threadGroups } from "./queries/thread-groups.js";
import { putTombstones } from "./queries/tombstones.js";
import { statementBytesOf } from "../db/size-limits.js";
import type { Storing } from "./storing.js";
import { storingOf } from "./storing-strategy.js";

/** What {@link storeOperations} knows of operations beside themselves. */
export interface StoringOptions {
  /** The checks of the saver's rules, which run first. */
  readonly guard?: readonly GuardStep[];
}

/**
 * Stores and deletes in one transaction, with locks on the parents whose values the new checkpoints reference (C3). A prune may
 * have deleted a parent since it was read. Then the transaction is rolled back, and the next attempt stores these values too.
 */
export async function storeOperations(
  call: SaverCall,
  operations: readonly BatchOperation[],
  { guard = [] }: StoringOptions = {},
): Promise<void> {
  const parents = requiredParents(operations);
  let known = new Set(parents.orphans);
  for (;;) {
    const required = parents.stored.filter(({ checkpoint }) => !known.has(checkpoint));
    const missing = await tryToStore(call, operations, { guard, required, orphans: known });
    if (missing.length === 0) return;
    known = new Set([...known, ...missing]);
  }
}

interface Attempt {
  readonly guard: readonly GuardStep[];
  readonly required: readonly RequiredParent[];
  /** Checkpoints that are stored with their unchanged values, because their parent is gone. */
  readonly orphans: ReadonlySet<EncodedCheckpoint>;
}

/** Returns the checkpoints whose parent is gone. If there are any, nothing is stored. */
async function tryToStore(
  call: SaverCall,
  operations: readonly BatchOperation[],
  { guard, required, orphans }: Attempt,
): Promise<readonly EncodedCheckpoint[]> {
  const newest = await newestSteps(call, checkpointsOf(operations));
  const complete = await Promise.all(operations.map((operation) => withAllValues(operation, orphans)));
  try {
    const storing = await storingOf(call);
    await storing.transact(call, operations, {
      guard: [
        ...isolationGuard(call, operations),
        ...guard,
        ...newest.guard,
        ...(await parentGuard(call, required)),
      ],
      statements: [...(await writingStatements(call, storing, complete)), ...newest.removal],
    });
    return [];
  } catch (error) {
    // A guard rolls its transaction back by an error.
    if (error instanceof MissingParents) return error.checkpoints;
    throw error;
  }
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
  storing: Storing,
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
    }
    for (const portion of splitRows(rows, statementBytesOf(call))) {
      if (portion.kind !== "rows") statements.push(putLongRow(schema, portion));
      else statements.push(...(await storing.putRows(call, threads.threadId, portion)));
    }
  }
  return statements;
}

function putLongRow(schema: string, portion: Exclude<Portion, { kind: "rows" }>): BoundStatement<unknown> {
  return portion.kind === "longWrite" ? putLongWrite(schema, portion.row) : putLongBlob(schema, portion.row);
}
