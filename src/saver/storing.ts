import { runTransaction } from "../db/statements/run-statement.js";
import type { BoundStatement } from "../db/statements/statement.js";
import type { GuardStep, TransactionSteps } from "../db/statements/transaction-steps.js";
import type { SaverCall } from "./call/saver-call.js";
import type { BatchOperation } from "./codec/resolve-batch.js";
import { notificationScope } from "./notifications/watch-channel.js";
import type { CheckpointRows } from "./queries/checkpoint-rows.js";
import type { EncodedCheckpoint } from "./queries/encoded-checkpoint.js";
import { bindPut, insertedBlobs, isStored } from "./queries/put-checkpoint.js";
import { type EncodedWrites, putPendingWrites } from "./queries/put-pending-writes.js";
import { loadOnce } from "../db/async/load-once.js";
import type { NewestSteps } from "./newest-steps.js";
import { rememberValues } from "./remember-values.js";

const loadNewest = /* @__PURE__ */ loadOnce(() => import("./newest-steps.js"));
const loadRows = /* @__PURE__ */ loadOnce(() => import("./store-rows.js"));
const NO_STEPS: NewestSteps = { guard: [], removal: [] };

/** How rows are stored. `storingOf` chooses it once for a database. */
export interface Storing {
  /** Stores a checkpoint that is not long. Returns false, and stores nothing, where a required parent or the base of a splice is gone. */
  storeCheckpoint(
    call: SaverCall,
    checkpoint: EncodedCheckpoint,
    guard: readonly GuardStep[],
  ): Promise<boolean>;
  /** Stores writes that are not long. */
  storeWrites(call: SaverCall, writes: EncodedWrites): Promise<void>;
  /**
   * Stores operations of several calls, none of which is a deletion. Each namespace has at most one checkpoint among them.
   *
   * @returns Whether each operation was stored. A checkpoint is not where something that it requires is gone.
   */
  storeGroup(
    call: SaverCall,
    operations: readonly BatchOperation[],
    guard: readonly GuardStep[],
  ): Promise<readonly boolean[]>;
  /** Returns the statements that store rows within {@link transact}. `threadId` is their thread where they are of one. */
  putRows(
    call: SaverCall,
    threadId: string,
    rows: CheckpointRows,
  ): Promise<readonly BoundStatement<unknown>[]>;
  /**
   * Runs the steps that store operations, in one transaction, and notifies those who watch their threads of new checkpoints.
   *
   * @returns The rows of each statement.
   */
  transact(
    call: SaverCall,
    operations: readonly BatchOperation[],
    steps: TransactionSteps,
  ): Promise<unknown[][]>;
}

/** Stores what a call has in one statement, which also notifies; see `notifyWatchers`. */
export const storingInOneStatement: Storing = {
  async storeCheckpoint(call, checkpoint, guard) {
    const newest =
      call.policy.keepLast === undefined
        ? NO_STEPS
        : await (await loadNewest()).newestSteps(call, [checkpoint]);
    const put = bindPut(call.schema, checkpoint, notificationScope(call));
    const [rows = []] = await runTransaction<unknown>(call, {
      guard: [...guard, ...newest.guard],
      statements: [put, ...newest.removal],
    });
    rememberValues(call, checkpoint, insertedBlobs(rows));
    return isStored(checkpoint, rows);
  },

  storeWrites: putPendingWrites,

  async storeGroup(call, operations, guard) {
    const { storeGroupInOneStatement } = await loadRows();
    return storeGroupInOneStatement(call, operations, guard);
  },

  async putRows(call, _threadId, rows) {
    const { putRows } = await loadRows();
    return [putRows(call.schema, rows, { scope: notificationScope(call) })];
  },

  transact: (call, _operations, steps) => runTransaction(call, steps),
};
