import type { DoctoredDatabase } from "./catalog.js";
import type { DoctorLimits } from "./doctor-limits.js";
import type { Finding } from "./finding.js";
import type { SchemaState } from "./read-relations.js";

/** What a check works with. */
export interface Examination {
  readonly db: DoctoredDatabase;
  readonly schema: SchemaState;
  readonly limits: DoctorLimits;
  /** Whether it is PGlite: one connection, in this process. */
  readonly isEmbedded: boolean;
  /** How long ago the database was opened, before any connection was made, in milliseconds. */
  readonly openMs: () => number;
  /** This machine's clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/** Looks at one thing, and says what it has found. */
export interface Check {
  readonly name: string;
  /** Whether it looks at several connections. All others run in a transaction, where nothing waits for long. */
  readonly acrossConnections?: boolean;
  run(examination: Examination): Promise<readonly Finding[]>;
}
