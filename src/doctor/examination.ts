import type { DoctoredDatabase } from "./catalog.js";
import type { Finding } from "./finding.js";
import type { SchemaState } from "./schema-state.js";

/** The input of a check. */
export interface Examination {
  readonly db: DoctoredDatabase;
  readonly schema: SchemaState;
  readonly limits: DoctorLimits;
  /** Whether the database is a PGlite, which has one connection, in this process. */
  readonly isEmbedded: boolean;
  /** The time since the database was opened, before its first connection, in milliseconds. */
  readonly openMs: () => number;
  /** This machine's clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/** One check of the database. */
export interface Check {
  readonly name: string;
  /** Whether it uses several connections. All other checks run in one transaction with a statement timeout. */
  readonly acrossConnections?: boolean;
  run(examination: Examination): Promise<readonly Finding[]>;
}

/** The limits above which a check warns. */
export interface DoctorLimits {
  /** How long one statement of a check may take, in milliseconds. Two statements read all checkpoint ids. */
  readonly checkMs: number;
  /** How much the clocks may differ, in milliseconds. */
  readonly clockMs: number;
  /** Which share of the server's connections may be in use. */
  readonly connectionShare: number;
  /** A table with at most this many dead rows never gets a warning. */
  readonly deadRows: number;
  /** How many dead rows a table may have for each live one. */
  readonly deadShare: number;
  /** How long a session may be idle in a transaction and hold vacuum back, in milliseconds. */
  readonly idleTransactionMs: number;
  /** A connection that is this much older than the database is a pooler's, in milliseconds. */
  readonly poolerAgeMs: number;
  /** A shorter statement timeout of the server cancels ordinary statements, in milliseconds. */
  readonly statementTimeoutMs: number;
  /** How old the oldest transaction id may be, in units of `autovacuum_freeze_max_age`. */
  readonly transactionAge: number;
}

export const DEFAULT_DOCTOR_LIMITS: DoctorLimits = {
  checkMs: 10_000,
  clockMs: 3_000,
  connectionShare: 0.8,
  deadRows: 1_000,
  // Autovacuum starts at 20% dead rows. With twice as many, it does not keep up.
  deadShare: 0.4,
  idleTransactionMs: 300_000,
  poolerAgeMs: 1_000,
  statementTimeoutMs: 5_000,
  transactionAge: 2,
};
