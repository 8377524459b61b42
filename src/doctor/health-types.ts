import type { PoolState } from "../db/open-database.js";
import type { CheckpointError } from "../errors/index.js";

/** How a saver and its database are. */
export interface Health {
  /**
   * Whether checkpoints can be stored: the database answers, takes writes, its schema is up to date, and the role has the
   * privileges. What policies of row-level security would refuse is not tried.
   */
  readonly ok: boolean;
  /**
   * How long the first answer took, the wait for a connection included, in milliseconds; or the wait for none. The time to open
   * a PGlite is not part of it.
   */
  readonly latencyMs: number;
  /** What the server says it is, such as `18.4`. */
  readonly serverVersion?: string;
  /** Whether it takes no writes, as a standby. */
  readonly isReadOnly?: boolean;
  /**
   * The privileges that the role lacks to tables that are there, such as `insert on checkpoints`. One without `delete` may
   * store checkpoints, and can't delete threads or prune; it is `ok`.
   */
  readonly missingPrivileges?: readonly string[];
  /** How far the schema of the saver has come. */
  readonly schema?: SchemaHealth;
  /** The connections of the saver's pool, where it has one. */
  readonly pool?: PoolState;
  /** Why it is not `ok`. */
  readonly error?: CheckpointError;
}

/** How far a schema has come. */
export interface SchemaHealth {
  readonly upToDate: boolean;
  /** The steps of this version of the library that have not run, oldest first. */
  readonly pending: readonly string[];
}
