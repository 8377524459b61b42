import type { PoolState } from "../db/opened-database.js";
import type { ReplicaState } from "../db/replica/replica.js";
import type { CheckpointError } from "../errors/index.js";
import type { WaitingCall } from "../telemetry/running-call.js";

/** The health of a saver, a store or a cache, and of its database. */
export interface Health {
  /**
   * Whether checkpoints, items or entries can be stored: the database answers and accepts writes, its schema is up to date, and the role has the
   * privileges. It does not test the policies of row-level security.
   */
  readonly ok: boolean;
  /**
   * The time until the first answer, including the wait for a connection, in milliseconds; if none arrived, the time until the
   * call gave up. It excludes the time to open a PGlite.
   */
  readonly latencyMs: number;
  /** The version of the server, such as `18.4`. */
  readonly serverVersion?: string;
  /** Whether the server accepts no writes, for example as a standby. */
  readonly isReadOnly?: boolean;
  /**
   * The privileges that the role lacks on existing tables, such as `insert on checkpoints`. A role without `delete` can store,
   * so it is `ok`, but can't delete threads or prune.
   */
  readonly missingPrivileges?: readonly string[];
  /**
   * Of a saver in a database with Citus: whether the rows of its tables are on the nodes, by thread or as a whole schema on one node.
   * `doctor` examines the nodes and the shards.
   */
  readonly isDistributed?: boolean;
  /** Whether its tables are up to date. */
  readonly schema?: SchemaHealth;
  /** The connections of its pool, if it has one. */
  readonly pool?: PoolState;
  /**
   * Its calls that have not settled, and to which the database has answered nothing for 20 seconds: the longest wait first, and at most
   * 20 of them. It does not change `ok`.
   */
  readonly waiting: readonly WaitingCall[];
  /** The state of its replica, if it has one. It does not change `ok`. */
  readonly replica?: ReplicaState;
  /** Why `ok` is false. */
  readonly error?: CheckpointError;
}

/** Whether a schema is up to date. */
export interface SchemaHealth {
  readonly upToDate: boolean;
  /** The migrations of this version of the library that have not run, oldest first. */
  readonly pending: readonly string[];
}
