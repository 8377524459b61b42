import type { PoolState } from "../db/opened-database.js";
import type { ReplicaState } from "../db/replica/replica.js";
import { CheckpointError, ConnectionError, DatabaseError } from "../errors/index.js";
import type { WaitingCall, ObservedOperation } from "../telemetry/running-calls.js";
import { raceAgainst, withinTime } from "../db/async/within-time.js";
import { checkCall, type ObservableCall } from "../db/run-call.js";
import { abortErrorOf } from "../db/statements/cancellation.js";
import { toDatabaseError } from "../db/to-database-error.js";
import { parseCallOptions } from "../parsing/parse-call-options.js";

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

/** How long to wait without a signal from the caller, in milliseconds. */
const DEFAULT_BOUND_MS = 2_000;
/** How many calls that wait too long are named. */
const MOST_WAITING = 20;

/** What a check finds out. */
export type HealthFindings = { -readonly [Name in keyof Health]?: Health[Name] };

/** How something is checked. */
interface HealthCheck {
  /** Opens what takes long to open, outside of the time limit. */
  readonly open?: (signal: AbortSignal | undefined) => Promise<void>;
  /** Rejects where nothing can be stored. Puts what it finds out beside that into `findings`. */
  readonly check: (signal: AbortSignal, findings: HealthFindings) => Promise<void>;
}

/**
 * Runs a check within its time limit, and reports what it finds. It never rejects.
 *
 * @param operation - The operation, as metrics name it.
 * @param options - What the caller passed: its signal.
 */
export async function reportHealth(
  base: ObservableCall,
  operation: ObservedOperation,
  options: unknown,
  { open, check }: HealthCheck,
): Promise<Health> {
  let began = performance.now();
  const findings: HealthFindings = {};
  let error: CheckpointError | undefined;
  try {
    const given = checkCall(base, operation, () => parseCallOptions(options));
    await open?.(given);
    began = performance.now();
    const limitMs = given === undefined ? DEFAULT_BOUND_MS : undefined;
    await withinTime({ signal: given, limitMs }, async (signal) => {
      // Returns in time even while the server is asked to cancel the statement.
      await raceAgainst(signal, check(signal, findings)).catch((reason: unknown) => {
        if (!signal.aborted) throw reason;
        throw given === undefined ? noAnswer() : abortErrorOf(given);
      });
    });
  } catch (reason) {
    error = toCheckpointError(reason);
  }
  base.telemetry?.health(operation, error === undefined);
  return {
    ok: error === undefined,
    latencyMs: performance.now() - began,
    ...findings,
    waiting: base.telemetry?.waiting(MOST_WAITING) ?? [],
    ...(error && { error }),
  };
}

function noAnswer(): ConnectionError {
  return new ConnectionError(`the database did not answer within ${DEFAULT_BOUND_MS} ms`);
}

function toCheckpointError(reason: unknown): CheckpointError {
  const error = toDatabaseError(reason);
  return error instanceof CheckpointError ? error : new DatabaseError(error.message, { cause: error });
}
