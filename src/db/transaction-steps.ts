import type { BoundStatement } from "./statement.js";

/** What is done in one transaction. */
export interface TransactionSteps {
  readonly guard?: TransactionGuard | undefined;
  /** What is written, in this order. */
  readonly statements: readonly BoundStatement<unknown>[];
}

/** What comes first in a transaction and may refuse the rest of it. */
export interface TransactionGuard {
  /** Locks, and the reads that show whether the transaction may go on. Each sees what was committed before it began. */
  readonly statements: readonly BoundStatement<unknown>[];
  /** Takes the rows of each statement; throws where the transaction may not go on. */
  readonly check: (rows: readonly (readonly unknown[])[]) => void;
}

export const BEGIN = bare("begin");
export const COMMIT = bare("commit");
export const ROLLBACK = bare("rollback");

function bare(sql: string): BoundStatement<unknown> {
  return { name: sql, sql, parameters: [] };
}
