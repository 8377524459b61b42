import type { Kysely } from "kysely";
import type { CheckpointDatabase } from "./checkpoint-database.js";
import type { NamedStatements } from "./named-statements.js";
import type { RetryOptions } from "./retry-transient.js";

/** The checkpoint tables of one schema in one database: what every query takes first. */
export interface CheckpointTables {
  /** Runs the queries, without plugins. */
  readonly kysely: Kysely<CheckpointDatabase>;
  /** The schema that holds the tables. */
  readonly schema: string;
  /** Where statements that should be prepared are registered, if they should. */
  readonly names: NamedStatements | undefined;
  /** How transient faults are retried; `false` where they are not. */
  readonly retry: RetryOptions | false;
}
