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

/** Sends one statement of a transaction that is open, and returns its rows. */
export type SendStatement = <Row>(statement: BoundStatement<Row>) => Promise<Row[]>;

/** Sends the steps one by one within a transaction that is open. Returns the rows of the statements. */
export async function sendSteps<Row>(
  { guard = [], statements }: TransactionSteps<Row>,
  send: SendStatement,
): Promise<Row[][]> {
  for (const step of guard) step.check?.(await send(step.statement));
  const rows: Row[][] = [];
  for (const statement of statements) rows.push(await send(statement));
  return rows;
}

/** Of every transaction of ours, whatever the database's default is: in others all statements see what the first one saw. */
export const ISOLATION_LEVEL = "read committed";

export const BEGIN = bare(`begin isolation level ${ISOLATION_LEVEL}`);
export const COMMIT = bare("commit");
export const ROLLBACK = bare("rollback");

function bare(sql: string): BoundStatement<unknown> {
  return { name: sql, sql, parameters: [] };
}
