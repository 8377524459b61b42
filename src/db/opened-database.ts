import type { Kysely } from "kysely";
import type pg from "pg";
import type { DatabaseAddress } from "../telemetry/logger.js";
import type {
  CacheDatabase,
  CheckpointDatabase,
  CheckpointStoreDatabase,
  ConversationDatabase,
  StoreDatabase,
} from "./checkpoint-database.js";
import type { Listener } from "./listening/listener.js";
import type { ClientLike, PoolLike } from "./pool/client-like.js";
import type { Locks } from "./locks/locks.js";
import type { PGliteInstance } from "./pglite/pglite-instance.js";
import type { RunContext, SendStatement, TransactionSteps } from "./statements/transaction-steps.js";
import type { BoundStatement } from "./statements/statement.js";

/**
 * Where the tables are. What opens a database by this closes it. It never closes a pool, client, Kysely, transaction or PGlite that you
 * pass in.
 *
 * - A connection string: `postgres://…` (as `pg` accepts it, if it is well-formed), `memory://` for
 *   PGlite in memory, or `file://folder` for PGlite in a folder. The saver opens it. It removes other users'
 *   access to the folder and all of its files.
 * - The options of a `pg.Pool`. The saver opens the pool.
 * - A `pg.Pool`, a `pg.Client`, a `Kysely`, a `Transaction` or a `PGlite`, passed in. The pool may be that of `pg-native` or of
 *   `@neondatabase/serverless`. Call `handlePoolErrors` on the pool of a Kysely, or a connection that dies ends the process.
 *
 * A single connection, a `pg.Client` or a client that you took from a pool, must be connected, not be in a transaction, and be used for
 * nothing else while calls run. Calls on it run one after another. It is not replaced when it dies. Thread locks, watches and cancel
 * requests open connections of their own by the client's options. For calls in a transaction of yours pass the `Transaction` of a Kysely.
 * The transaction of a PGlite is refused.
 *
 * @typeParam Tables - The tables that a Kysely must have: those of the savers, of the store, of the cache or of the checkpoint store.
 */
export type DatabaseSource<Tables = CheckpointDatabase> =
  | string
  // All options of a pool are optional, and a client has some of them.
  | (pg.PoolConfig & { readonly connect?: never; readonly query?: never })
  | PoolLike
  | ClientLike
  | PGliteInstance
  // A Kysely or a transaction of one. Of the class itself, TypeScript takes one with further tables for another type, in Kysely before
  // 0.28.18 and 0.29.5. `fn` tells which tables it has.
  | Pick<Kysely<Tables>, "isTransaction" | "getExecutor" | "fn">;

/** What a database can be opened by, whichever tables it is for. */
export type AnyDatabaseSource =
  | DatabaseSource
  | DatabaseSource<StoreDatabase>
  | DatabaseSource<CacheDatabase>
  | DatabaseSource<ConversationDatabase>
  | DatabaseSource<CheckpointStoreDatabase>;

type Execute = <Row>(statement: BoundStatement<Row>, context?: RunContext) => Promise<Row[]>;
type Transact = <Row>(steps: TransactionSteps<Row>, context?: RunContext) => Promise<Row[][]>;
type Interact = <T>(run: (send: SendStatement) => Promise<T>, context?: RunContext) => Promise<T>;
/** The current connections of a pool. */
export interface PoolState {
  /** All connections. */
  readonly total: number;
  /** Connections that no call uses. */
  readonly idle: number;
  /** Calls that wait for a connection. */
  readonly waiting: number;
}

/** An open database. */
export interface OpenedDatabase {
  /** A Kysely without plugins, so that columns keep their names in Postgres. */
  readonly kysely: Kysely<CheckpointDatabase>;
  /**
   * A Kysely whose queries and transactions end when the signal aborts: the server cancels the query, rolls
   * the transaction back, and the query rejects with an AbortError. Only on a pool.
   */
  readonly kyselyUntil?: (signal: AbortSignal) => Kysely<CheckpointDatabase>;
  /**
   * The source for another saver on the same connections: the pool where there is one, else the Kysely. That
   * saver closes neither.
   */
  readonly source: pg.Pool | Kysely<CheckpointDatabase>;
  /**
   * Sends one statement and returns its rows.
   *
   * @internal
   */
  readonly execute: Execute;
  /**
   * Sends several statements one after another in one transaction. It opens the transaction, except in a
   * passed-in one. Returns the rows of each statement, without those of the guard.
   *
   * @internal
   */
  readonly transact: Transact;
  /**
   * Runs a function that decides by the rows of one statement which one to send next, in a transaction like
   * that of `transact`. It must not await anything but `send` that needs a connection, since there may be
   * only one.
   *
   * @internal
   */
  readonly interact: Interact;
  /**
   * Whether the statements of a transaction are sent without waiting for each other's rows.
   *
   * @internal
   */
  readonly sendsTogether: boolean;
  /**
   * Advisory locks, each with one holder across all processes. Not for a passed-in transaction.
   *
   * @internal
   */
  readonly locks: Locks;
  /**
   * The address, as far as it is known without asking the server.
   *
   * @internal
   */
  readonly address: () => DatabaseAddress;
  /**
   * How many statements may run at once, or `embedded` for a database in this process. It is a guess for a passed-in Kysely, which does
   * not tell.
   *
   * @internal
   */
  readonly maxConnections: number | "embedded";
  /**
   * Whether the server has Citus; `undefined` until a connection has answered. Absent where no connection tells, as in a passed-in Kysely.
   *
   * @internal
   */
  readonly hasCitus?: () => boolean | undefined;
  /** The state of the pool, where there is one. */
  readonly poolState?: () => PoolState;
  /**
   * Opens a PGlite that was not used yet, which blocks the process for seconds. Resolves at once where it is
   * open.
   *
   * @internal
   */
  readonly opening?: () => Promise<unknown>;
  /**
   * Receives notifications of `pg_notify`. Throws an InvalidConfigError where the database can't receive any.
   *
   * @internal
   */
  readonly listener: () => Promise<Listener>;
  /** Whether an owned database has been closed. */
  readonly closed: boolean;
  /** Closes an owned database and leaves a passed-in one open. May be called more than once. */
  readonly close: () => Promise<void>;
}

/** The methods that send statements. */
export type Sends = Pick<OpenedDatabase, "execute" | "transact" | "interact">;

/**
 * Returns methods that send statements as others do, each within a function.
 *
 * @param around - Calls `send` when it may be called.
 */
export function sendsWithin(
  sends: Sends,
  around: <T>(send: () => Promise<T>, context: RunContext) => Promise<T>,
): Sends {
  return {
    execute: (statement, context = {}) => around(() => sends.execute(statement, context), context),
    transact: (steps, context = {}) => around(() => sends.transact(steps, context), context),
    interact: (run, context = {}) => around(() => sends.interact(run, context), context),
  };
}
