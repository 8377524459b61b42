/** From where on something is worth a warning. */
export interface DoctorLimits {
  /** How long one statement of a check may take, in milliseconds: one of them reads all ids. */
  readonly checkMs: number;
  /** How far the clocks may be apart, in milliseconds. */
  readonly clockMs: number;
  /** How many of the server's connections may be in use, as a share. */
  readonly connectionShare: number;
  /** How many dead rows a table may have in any case. */
  readonly deadRows: number;
  /** How many dead rows a table may have for each live one. */
  readonly deadShare: number;
  /** How long a session may hold vacuum back and do nothing, in milliseconds. */
  readonly idleTransactionMs: number;
  /** How much older than ours a connection to the server must be to be a pooler's, in milliseconds. */
  readonly poolerAgeMs: number;
  /** Below this a timeout of the server ends ordinary statements, in milliseconds. */
  readonly statementTimeoutMs: number;
  /** How old the oldest transaction id may be, in units of `autovacuum_freeze_max_age`. */
  readonly transactionAge: number;
}

export const DEFAULT_DOCTOR_LIMITS: DoctorLimits = {
  checkMs: 10_000,
  clockMs: 3_000,
  connectionShare: 0.8,
  deadRows: 1_000,
  // Autovacuum comes at a fifth; twice of that says that it does not keep up.
  deadShare: 0.4,
  idleTransactionMs: 300_000,
  poolerAgeMs: 1_000,
  statementTimeoutMs: 5_000,
  transactionAge: 2,
};
