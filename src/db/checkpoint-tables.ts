import type { OpenedDatabase } from "./open-database.js";
import type { RetryOptions } from "./retry-transient.js";

/** The checkpoint tables of one schema in one database: what every query takes first. */
export interface CheckpointTables {
  readonly database: OpenedDatabase;
  /** The schema that holds the tables. */
  readonly schema: string;
  /** How transient faults are retried; `false` where they are not. */
  readonly retry: RetryOptions | false;
}
