import type { CallContext } from "../db/call-context.js";
import { runTransaction } from "../db/statements/run-statement.js";
import { DEFAULT_SIZE_LIMITS } from "../db/size-limits.js";
import type { BoundStatement } from "../db/statements/statement.js";
import type { GuardStep } from "../db/statements/transaction-steps.js";
import { carryingPuts, OrphanedPutsError, refuseOrphans } from "./codec/carrying-puts.js";
import { type BatchOperation, resolveBatch } from "./codec/resolve-batch.js";
import { type Portion, splitRows } from "./codec/split-rows.js";
import { newestSteps } from "./newest-steps.js";
import { notificationScope } from "./notifications/watch-channel.js";
import { deleteThreads } from "./queries/delete-threads.js";
import { type HeldRow, holdParents } from "./queries/hold-parents.js";
import type { EncodedCheckpoint } from "./queries/put-checkpoint.js";
import { putLongBlob } from "./queries/put-long-blob.js";
import { putLongWrite } from "./queries/put-long-write.js";
import { putRows } from "./queries/put-rows.js";
import { type LockRow, readIsolation, refuseSnapshots } from "./queries/take-locks.js";
import { putTombstones } from "./queries/tombstones.js";
import type { SaverCall } from "./call/saver-call.js";

/**
 * Stores calls, and holds the parents meanwhile that their unchanged values are stored with. Where one turns out to be
 * gone, pruned since it was read, its successor brings these values along.
 *
 * @param orphaned - Checkpoints whose parent is known to be gone.
 */
export async function storeOperations(
  call: SaverCall,
  operations: readonly BatchOperation[],
  orphaned: readonly EncodedCheckpoint[],
  guard: readonly GuardStep[] = [],
): Promise<void> {
  const { schema } = call;
  const carrying = carryingPuts(operations);
  const known = new Set([...carrying.orphaned, ...orphaned]);
  const toHold = carrying.toHold.filter(({ checkpoint }) => !known.has(checkpoint));
  const holding: GuardStep<HeldRow> = {
    statement: holdParents(
      schema,
      toHold.map(({ parent }) => parent),
    ),
    check: (rows) => {
      refuseOrphans(toHold, rows);
    },
  };
  const newest = newestSteps(call, putsOf(operations));
  const complete = await Promise.all(operations.map((operation) => bringingValues(operation, known)));
  try {
    await runTransaction(call, {
      guard: [
        ...isolationGuard(call, operations),
        ...guard,
        ...newest.guard,
        ...(toHold.length === 0 ? [] : [holding]),
      ],
      statements: [...writingStatements(call, complete), ...newest.removal],
    });
  } catch (error) {
    if (!(error instanceof OrphanedPutsError)) throw error;
    await storeOperations(call, operations, [...known, ...error.checkpoints], guard);
  }
}

/** A deletion decides by what was committed before its last statement, which some transactions of the caller can't see. */
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

function putsOf(operations: readonly BatchOperation[]): EncodedCheckpoint[] {
  return operations.flatMap((operation) => (operation.kind === "put" ? [operation.checkpoint] : []));
}

/** A put whose parent is gone, with all of its values: whoever collects one of them meanwhile waits for it. */
async function bringingValues(
  operation: BatchOperation,
  orphaned: ReadonlySet<EncodedCheckpoint>,
): Promise<BatchOperation> {
  if (operation.kind !== "put" || !orphaned.has(operation.checkpoint)) return operation;
  const { carriedBlobs, ...checkpoint } = operation.checkpoint;
  const fresh = checkpoint.blobs.filter(({ isCarried }) => isCarried !== true);
  return {
    kind: "put",
    checkpoint: { ...checkpoint, blobs: [...fresh, ...((await carriedBlobs?.()) ?? [])] },
  };
}

function writingStatements(
  call: SaverCall,
  operations: readonly BatchOperation[],
): BoundStatement<unknown>[] {
  const { schema, policy } = call;
  const { deletedThreads, ...rows } = resolveBatch(operations);
  const deletes = deletedThreads.length > 0;
  return [
    ...(deletes && policy.keepTombstones === true ? [putTombstones(schema, deletedThreads)] : []),
    ...(deletes ? deleteThreads(schema, deletedThreads) : []),
    ...splitRows(rows, statementBytesOf(call)).map((portion) => toStatement(call, portion)),
  ];
}

function toStatement(call: SaverCall, portion: Portion): BoundStatement<unknown> {
  const { schema } = call;
  switch (portion.kind) {
    case "longWrite":
      return putLongWrite(schema, portion.row);
    case "longBlob":
      return putLongBlob(schema, portion.row);
    case "rows":
      return putRows(schema, portion, notificationScope(call));
  }
}

/** How much one statement brings to the database, in bytes. */
export function statementBytesOf({ policy: { limits = DEFAULT_SIZE_LIMITS } }: CallContext): number {
  return limits.statementBytes;
}
