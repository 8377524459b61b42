import type { BoundStatement } from "./statement.js";

/** What is done in one transaction. */
export interface TransactionSteps<Row = unknown> {
  /** What comes first and may refuse the rest: locks, and reads of what they protect. */
  readonly guard?: readonly GuardStep[] | undefined;
  /** What is written, in this order. */
  readonly statements: readonly BoundStatement<Row>[];
}

/** A statement that sees whatever was committed before it began, not before its transaction did. */
export interface GuardStep<Row = unknown> {
  readonly statement: BoundStatement<Row>;
  /** Throws where the transaction may not go on. */
  check?(rows: readonly Row[]): void;
}

/** Of every transaction of ours, whatever the database's default is: in others all statements see what the first one saw. */
export const ISOLATION_LEVEL = "read committed";

export const BEGIN = bare(`begin isolation level ${ISOLATION_LEVEL}`);
export const COMMIT = bare("commit");
export const ROLLBACK = bare("rollback");

function bare(sql: string): BoundStatement<unknown> {
  return { name: sql, sql, parameters: [] };
}
