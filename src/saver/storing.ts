import type { BoundStatement } from "../db/statements/statement.js";
import type { GuardStep, TransactionSteps } from "../db/statements/transaction-steps.js";
import type { SaverCall } from "./call/saver-call.js";
import type { BatchOperation } from "./codec/resolve-batch.js";
import type { CheckpointRows } from "./queries/checkpoint-rows.js";

/** How rows are stored. `storingOf` chooses it once for a database. */
export interface Storing {
  /**
   * Stores operations that are not long: that of one call, or those of several. None of them is a deletion. Each namespace has at most one
   * checkpoint among them.
   *
   * @returns Whether each operation was stored. A checkpoint is not where a required parent or the base of a splice is gone.
   */
  store(
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
