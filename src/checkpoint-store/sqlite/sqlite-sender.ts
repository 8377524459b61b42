import type { BoundStatement } from "../../db/statements/statement.js";
import type { TransactionSteps } from "../../db/statements/transaction-steps.js";

/** Sends statements to one SQLite database. Errors are those of its driver. */
export interface SqliteSender {
  send<Row>(statement: BoundStatement<Row>): Promise<Row[]>;
  /** Sends statements so that all of them are stored or none, in a transaction or within the one that is open. Returns their rows. */
  transact(steps: TransactionSteps): Promise<unknown[][]>;
}

/**
 * Begins a transaction, or a part of the one that the application has opened. The first statement after it changes rows, so that the
 * transaction takes the lock of writers at once.
 */
export const SAVEPOINT = bare("savepoint checkpoint_store_call");
export const RELEASE = bare("release checkpoint_store_call");
export const ROLL_BACK_TO = bare("rollback to checkpoint_store_call");
export const ROLL_BACK = bare("rollback");

function bare(sql: string): BoundStatement<unknown> {
  return { name: sql, sql, parameters: [] };
}
