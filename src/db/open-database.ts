import { types } from "node:util";
import {
  type ControlledTransaction,
  Kysely,
  PGliteDialect,
  PostgresDialect,
  type PostgresPool,
  type Transaction,
} from "kysely";
import pg from "pg";
import { CheckpointError, InvalidConfigError } from "../errors/index.js";
import type { DatabaseAddress } from "../telemetry/database-address.js";
import { SCOPE } from "../telemetry/scope.js";
import type { CheckpointDatabase } from "./checkpoint-database.js";
import { trackConnecting } from "./pool/track-connecting-clients.js";
import { failingPGlite } from "./pglite/failing-pglite.js";
import { GuardedPool } from "./pool/statement-pool.js";
import { inTurn } from "./async/in-turn.js";
import type { Listener } from "./listening/listener.js";
import { listenerOfPGlite, listenerOfPool, refuseToListen } from "./listening/listeners.js";
import type { Locks } from "./locks/locks.js";
import { locksOfKysely, locksOfPGlite, locksOfPool } from "./locks/locks-of.js";
import { type PGliteInstance, pgliteOpener } from "./pglite/pglite-source.js";
import { isPGliteUrl } from "./pglite/pglite-url.js";
import { addressOfPool } from "./pool/pool-address.js";
import { dismissIfEnded } from "./pool/connect-until-ended.js";
import { refusePGliteUrl, refusePoolOptions } from "./validate-source.js";
import type { RunContext } from "./statements/run-context.js";
import type { BoundStatement } from "./statements/statement.js";
import { executeThrough, interactThrough, transactThrough } from "./kysely/through-kysely.js";
import type { SendStatement, TransactionSteps } from "./statements/transaction-steps.js";

/**
 * Where the checkpoints are. What is opened from a description is ours to close; what is already open stays open.
 *
 * - a connection string: `postgres://…` (what `pg` takes, if its parts can be told apart), `memory://` for PGlite in memory, `file://folder` for
 *   PGlite in a folder, which is closed to other users with all its files: opened here
 * - the options of a `pg.Pool`: opened here
 * - a `pg.Pool`, a `Kysely`, a `Transaction`, a `PGlite`: lent. The pool of a Kysely is to be guarded by `guardPool`, or a
 *   connection that dies ends the process
 */
export type DatabaseSource =
  | string
  | pg.PoolConfig
  | pg.Pool
  | PGliteInstance
  | Kysely<CheckpointDatabase>
  // Named apart, since TypeScript takes `Transaction<App & CheckpointDatabase>` for this, but not for the Kysely above.
  | Transaction<CheckpointDatabase>
  | ControlledTransaction<CheckpointDatabase>;

/** How a database is opened. */
export interface OpenDatabaseOptions {
  /**
   * Whether our statements are sent as prepared statements, which saves Postgres from planning them anew. Set it to
   * `false` behind a pooler in transaction mode that does not follow prepared statements. Default `true`.
   */
  readonly prepare?: boolean;
  /** Told of each idle connection that dies, of a pool that is opened here: nothing comes of it. */
  readonly onConnectionLost?: (error: Error) => void;
}

type Execute = <Row>(statement: BoundStatement<Row>, context?: RunContext) => Promise<Row[]>;
type Transact = <Row>(steps: TransactionSteps<Row>, context?: RunContext) => Promise<Row[][]>;
type Interact = <T>(run: (send: SendStatement) => Promise<T>, context?: RunContext) => Promise<T>;
/** What sends our statements, in one way or another. */
type Sender = Omit<OpenedDatabase, "closed" | "close">;

/** The connections of a pool at this moment. */
export interface PoolState {
  /** Those that there are. */
  readonly total: number;
  /** Those of them that nobody uses. */
  readonly idle: number;
  /** Calls that wait for one. */
  readonly waiting: number;
}

/** A database as this library uses it. */
export interface OpenedDatabase {
  /** Runs the queries; without plugins, so that rows arrive as Postgres names them. */
  readonly kysely: Kysely<CheckpointDatabase>;
  /**
   * The same for queries and transactions that a signal ends: the server cancels what it is doing, an open transaction is
   * rolled back, and the query rejects with an AbortError. Only on a pool.
   */
  readonly kyselyUntil?: (signal: AbortSignal) => Kysely<CheckpointDatabase>;
  /** What a saver is opened on to use the same connections: the pool where there is one, else the Kysely. The saver closes neither. */
  readonly source: pg.Pool | Kysely<CheckpointDatabase>;
  /** Sends one of our own statements and returns its rows. */
  readonly execute: Execute;
  /**
   * Sends several, one after another in one transaction: one of its own, but where a transaction was lent. Returns the
   * rows of each, without those of the guard.
   */
  readonly transact: Transact;
  /**
   * Runs what decides by the rows of one statement which comes next, in a transaction as that of `transact`. Nothing but
   * `send` may be awaited in it that needs a connection, since there may be only one.
   */
  readonly interact: Interact;
  /** Its advisory locks, one holder each over all processes. Not for a transaction that was lent. */
  readonly locks: Locks;
  /** Where it is, as far as that is known without asking it. */
  readonly address: () => DatabaseAddress;
  /** The state of its pool, where it has one. */
  readonly poolState?: () => PoolState;
  /** Opens a PGlite that was not used yet, which keeps the process busy for seconds; at once where it is open. */
  readonly opening?: () => Promise<unknown>;
  /** Hears what is told by `pg_notify`. Throws an InvalidConfigError where there is no way to. */
  readonly listener: () => Listener;
  /** Whether it was opened here and has been closed since. */
  readonly closed: boolean;
  /** Closes what was opened here, leaves what was lent. May be called more than once. */
  readonly close: () => Promise<void>;
}

/**
 * Opens a database, or takes over one that is open. Nothing is sent before the first query.
 *
 * @throws InvalidConfigError when `source` is none of the kinds that {@link DatabaseSource} lists, and when its connection
 *   string can't be parsed; never with a word of it, since any may be the password.
 *
 * @example
 * ```ts
 * const database = openDatabase("postgres://localhost/agents");
 * try {
 *   await migrateToLatest(database.kysely);
 * } finally {
 *   await database.close();
 * }
 * ```
 */
export function openDatabase(source: DatabaseSource, options: OpenDatabaseOptions = {}): OpenedDatabase {
  try {
    return open(source, options);
  } catch (error) {
    if (error instanceof CheckpointError) throw error;
    // Not with the error as cause, which may show the password.
    const code = types.isNativeError(error) && "code" in error ? ` (${String(error.code)})` : "";
    throw new InvalidConfigError(
      "source",
      `the connection string or the options of the pool could not be parsed${code}`,
    );
  }
}

function open(source: DatabaseSource, options: OpenDatabaseOptions): OpenedDatabase {
  if (typeof source === "string") {
    if (source.includes("\0")) throw new InvalidConfigError("source", "must not contain U+0000");
    return isPGliteUrl(source) ? ownedPGlite(source) : ownedPool({ connectionString: source }, options);
  }
  if (typeof source !== "object" || (source as unknown) === null || Array.isArray(source)) {
    throw new InvalidConfigError(
      "source",
      "expected a connection string, pool, Kysely, PGlite or pool options",
    );
  }
  if (isKysely(source)) return lentKysely(source);
  if (isPGlite(source)) return lentPGlite(source);
  return isPool(source) ? lentPool(source, options) : ownedPool(source, options);
}

/** What holds for pools that are opened here, unless their options say otherwise. */
const POOL_DEFAULTS: pg.PoolConfig = {
  // So that an idle connection that has died is found out before a call is sent on it.
  keepAlive: true,
  // What pg_stat_activity shows; a connection string, an option and PGAPPNAME come first.
  fallback_application_name: SCOPE.name,
};

function ownedPool(config: pg.PoolConfig, options: OpenDatabaseOptions): OpenedDatabase {
  refusePoolOptions(config);
  const pool = new pg.Pool({ ...POOL_DEFAULTS, ...config });
  if (options.onConnectionLost !== undefined) pool.on("error", options.onConnectionLost);
  const giveUpConnecting = trackConnecting(pool);
  // Not by Kysely, which ends only a pool that it has sent something through.
  return owned(onPool(pool, options), () => {
    const ended = pool.end();
    dismissIfEnded(pool);
    giveUpConnecting();
    return ended;
  });
}

function lentPool(pool: pg.Pool, options: OpenDatabaseOptions): OpenedDatabase {
  refusePoolOptions(pool.options);
  return lent(onPool(pool, options));
}

function onPool(pool: pg.Pool, { prepare = true }: OpenDatabaseOptions): Sender {
  const guarded = new GuardedPool(pool, { prepare });
  const kyselyOn = (connections: PostgresPool): Kysely<CheckpointDatabase> =>
    new Kysely({ dialect: new PostgresDialect({ pool: connections }) });
  return {
    kysely: kyselyOn(guarded),
    source: pool,
    kyselyUntil: (signal) => kyselyOn(guarded.endedBy(signal)),
    execute: (statement, context = {}) => guarded.execute(statement, context),
    transact: (steps, context = {}) => guarded.transact(steps, context),
    interact: (run, context = {}) => guarded.interact(run, context),
    locks: locksOfPool(pool),
    address: () => addressOfPool(pool),
    poolState: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    listener: () => listenerOfPool(pool),
  };
}

function ownedPGlite(url: string): OpenedDatabase {
  refusePGliteUrl(url);
  const { open, release } = pgliteOpener(url);
  const kysely = new Kysely<CheckpointDatabase>({
    dialect: new PGliteDialect({ pglite: async () => failingPGlite(await open()) }),
  });
  return owned(throughPGlite(kysely, kysely, open), () => kysely.destroy().finally(release));
}

function lentPGlite(pglite: PGliteInstance): OpenedDatabase {
  const kysely = new Kysely<CheckpointDatabase>({
    dialect: new PGliteDialect({ pglite: failingPGlite(pglite) }),
  });
  return lent(throughPGlite(kysely, pglite, () => Promise.resolve(pglite)));
}

function lentKysely(source: Kysely<CheckpointDatabase>): OpenedDatabase {
  const sender = throughKysely(source.withoutPlugins(), locksOfKysely(source));
  return lent(source.isTransaction ? takingTurns(sender, source) : sender);
}

/** A call sets the tenant of the whole transaction while it runs: no other may send anything meanwhile. */
function takingTurns(sender: Sender, transaction: Kysely<CheckpointDatabase>): Sender {
  return {
    ...sender,
    execute: (statement, context) => inTurn(transaction, () => sender.execute(statement, context)),
    transact: (steps, context) => inTurn(transaction, () => sender.transact(steps, context)),
    interact: (run, context) => inTurn(transaction, () => sender.interact(run, context)),
  };
}

/** @param owner - Stands for the instance, whichever saver uses it. */
function throughPGlite(
  kysely: Kysely<CheckpointDatabase>,
  owner: object,
  open: () => Promise<PGliteInstance>,
): Sender {
  const listener = (): Listener => listenerOfPGlite(owner, open);
  return {
    ...throughKysely(kysely, locksOfPGlite(owner)),
    listener,
    opening: async () => (await open()).waitReady,
  };
}

/** Where the connections are not ours to decide on. */
function throughKysely(kysely: Kysely<CheckpointDatabase>, locks: Locks): Sender {
  return {
    kysely,
    source: kysely,
    execute: (statement, context = {}) => executeThrough(kysely, statement, context),
    transact: (steps, context = {}) => transactThrough(kysely, steps, context),
    interact: (run, context = {}) => interactThrough(kysely, context, run),
    locks,
    address: () => ({}),
    listener: refuseToListen,
  };
}

function lent(sender: Sender): OpenedDatabase {
  return { ...sender, closed: false, close: () => Promise.resolve() };
}

function owned(sender: Sender, end: () => Promise<void>): OpenedDatabase {
  let closing: Promise<void> | undefined;
  return {
    ...sender,
    get closed() {
      return closing !== undefined;
    },
    close: () => {
      sender.locks.close();
      return (closing ??= end());
    },
  };
}

// By what they can do, since two copies of a package may be installed and `instanceof` knows only one of them.
function isKysely(source: object): source is Kysely<CheckpointDatabase> {
  return "getExecutor" in source && "selectFrom" in source;
}

function isPGlite(source: object): source is PGliteInstance {
  return "query" in source && "waitReady" in source;
}

function isPool(source: object): source is pg.Pool {
  return "connect" in source && "query" in source && "totalCount" in source;
}
