import type { DoctoredDatabase } from "./catalog.js";
import type { DoctorLimits } from "./doctor-limits.js";
import type { Finding } from "./finding.js";
import type { SchemaState } from "./read-relations.js";

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
