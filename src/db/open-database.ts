import { types } from "node:util";
import { Kysely, PGliteDialect, PostgresDialect, type PostgresPool } from "kysely";
import pg from "pg";
import { CheckpointError, InvalidConfigError } from "../errors/index.js";
import { SCOPE } from "../telemetry/instruments.js";
import type { CheckpointDatabase } from "./checkpoint-database.js";
import {
  trackConnectingClients,
  connectUntilEnded,
  rejectIfEnded,
  handlePoolErrors,
} from "./pool/connect-until-ended.js";
import { canPipeline } from "./pool/pipeline.js";
import { StatementPool } from "./pool/statement-pool.js";
import { inTurn } from "./async/in-turn.js";
import { loadOnce } from "./async/load-once.js";
import { refuseToListen } from "./listening/refuse-to-listen.js";
import { type AnyDatabaseSource, type OpenedDatabase, sendsWithin } from "./opened-database.js";
import type { Locks } from "./locks/locks.js";
import { locksOfKysely, locksOfPGlite, locksOfPool } from "./locks/locks-of-database.js";
import type { PGliteInstance } from "./pglite/pglite-instance.js";
import type { PGliteOpener } from "./pglite/pglite-opener.js";
import { isPGliteUrl } from "./pglite/pglite-url.js";
import { addressOfPool } from "./pool/pool-address.js";
import { connectedOutsideCalls } from "./pool/connected-outside-calls.js";
import { isClient, asPool, type PoolLike, clientClassOf } from "./pool/client-like.js";
import { ClientPool } from "./pool/client-pool.js";
import { shareWaits } from "./connection-waits.js";
import { refuseConnection, refusePGliteUrl, refusePoolOptions } from "./validate-source.js";

/** Options of opening a database. */
export interface OpenDatabaseOptions {
  /**
   * Whether statements are sent as prepared statements, which saves Postgres from planning them again. Set it
   * to `false` behind a pooler in transaction mode that does not support prepared statements. Default `true`.
   */
  readonly prepare?: boolean;
  /** Called for each idle connection that dies, of a pool that is opened here. The pool replaces it. */
  readonly onConnectionLost?: (error: Error) => void;
}

// A pool of `pg` needs none of these to send statements.
const loadKyselySender = loadOnce(() => import("./kysely/send-through-kysely.js"));
const loadDriverCheck = loadOnce(() => import("./kysely/check-driver.js"));
const loadListeners = loadOnce(() => import("./listening/listeners.js"));
const loadPGlite = loadOnce(() => import("./pglite/index.js"));

type AnyKysely = Extract<AnyDatabaseSource, { readonly isTransaction: boolean }>;

/** What sends the statements. */
type Sender = Omit<OpenedDatabase, "closed" | "close">;

/**
 * Opens a database, or uses an open one. Nothing is sent before the first query.
 *
 * @throws InvalidConfigError when `source` is none of the kinds that `DatabaseSource` lists, and when its connection string can't be
 *   parsed. The error never quotes the connection string, since any part of it may be the password.
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
export function openDatabase(source: AnyDatabaseSource, options: OpenDatabaseOptions = {}): OpenedDatabase {
  try {
    return open(source, options);
  } catch (error) {
    if (error instanceof CheckpointError) throw error;
    // Without the error as cause, which may show the password.
    const code = types.isNativeError(error) && "code" in error ? ` (${String(error.code)})` : "";
    throw new InvalidConfigError(
      "source",
      `the connection string or the options of the pool could not be parsed${code}`,
    );
  }
}

function open(source: AnyDatabaseSource, options: OpenDatabaseOptions): OpenedDatabase {
  if (typeof source === "string") {
    if (source.includes("\0")) throw new InvalidConfigError("source", "must not contain U+0000");
    return isPGliteUrl(source) ? ownedPGlite(source) : ownedPool({ connectionString: source }, options);
  }
  if (typeof source !== "object" || (source as unknown) === null || Array.isArray(source)) {
    throw new InvalidConfigError(
      "source",
      "expected a connection string, pool, client, Kysely, PGlite or pool options",
    );
  }
  // Checks for members, since two copies of a package may be installed and `instanceof` recognizes only one of them. A type guard
  // for a Kysely would make TypeScript compare each kind of it with each other one, which takes seconds.
  if ("getExecutor" in source && "fn" in source) return passedInKysely(source);
  if (isPGlite(source)) return passedInPGlite(source);
  if (isPool(source)) return passedInPool(asPool(source), options);
  if (isClient(source)) return passedInPool(asPool(ClientPool.of(source)), options);
  refuseConnection(source);
  return ownedPool(source, options);
}

/** Defaults of the pools that are opened here. */
const POOL_DEFAULTS: pg.PoolConfig = {
  // Detects an idle connection that has died before a call uses it.
  keepAlive: true,
  // Shown in pg_stat_activity. A connection string, an option and PGAPPNAME override it.
  fallback_application_name: SCOPE.name,
};

function ownedPool(config: pg.PoolConfig, options: OpenDatabaseOptions): OpenedDatabase {
  refusePoolOptions(config);
  const pool = new pg.Pool({ ...POOL_DEFAULTS, ...connectedOutsideCalls(config) });
  if (options.onConnectionLost !== undefined) pool.on("error", options.onConnectionLost);
  const stopConnecting = trackConnectingClients(pool);
  // Not with Kysely's `destroy`, which ends a pool only if Kysely has used it.
  return owned(onPool(pool, options), () => {
    const ended = pool.end();
    rejectIfEnded(pool);
    stopConnecting();
    return ended;
  });
}

function passedInPool(pool: pg.Pool, options: OpenDatabaseOptions): OpenedDatabase {
  refusePoolOptions(pool.options);
  return passedIn(onPool(pool, options));
}

function onPool(pool: pg.Pool, options: OpenDatabaseOptions): Sender {
  const sender = canPipeline(pool) ? throughPipelines(pool, options) : statementByStatement(pool);
  return {
    poolState: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    ...sender,
    source: pool,
    address: () => addressOfPool(pool),
    maxConnections: pool.options.max,
    listener: async () => (await loadListeners()).listenerOfPool(pool),
  };
}

type PoolSender = Omit<Sender, "source" | "address" | "maxConnections" | "listener">;

function throughPipelines(pool: pg.Pool, { prepare = true }: OpenDatabaseOptions): PoolSender {
  const statementPool = new StatementPool(pool, { prepare });
  return {
    kysely: kyselyOn(statementPool),
    kyselyUntil: (signal) => kyselyOn(statementPool.endedBy(signal)),
    execute: (statement, context = {}) => statementPool.execute(statement, context),
    transact: (steps, context = {}) => statementPool.transact(steps, context),
    interact: (run, context = {}) => statementPool.interact(run, context),
    sendsTogether: true,
    locks: locksOfPool(pool),
    hasCitus: () => statementPool.hasCitus,
    poolState: () => statementPool.state,
  };
}

/** As in a Kysely: a pool of `pg-native` neither sends several statements at once, nor says which process to cancel. */
function statementByStatement(pool: pg.Pool): PoolSender {
  handlePoolErrors(pool);
  const kysely = kyselyOn({
    options: pool.options,
    Client: clientClassOf(pool),
    connect: () => connectUntilEnded(pool),
    end: () => pool.end(),
  });
  return checkedFirst(throughKysely(kysely, locksOfPool(pool)));
}

function kyselyOn(pool: PostgresPool): Kysely<CheckpointDatabase> {
  return new Kysely({ dialect: new PostgresDialect({ pool }) });
}

function ownedPGlite(url: string): OpenedDatabase {
  refusePGliteUrl(url);
  let opener: PGliteOpener | undefined;
  const open = async (): Promise<PGliteInstance> => {
    const { pgliteOpener } = await loadPGlite();
    return (opener ??= pgliteOpener(url)).open();
  };
  const kysely = kyselyOnPGlite(open);
  return owned(throughPGlite(kysely, kysely, open), () => kysely.destroy().finally(() => opener?.release()));
}

function passedInPGlite(pglite: PGliteInstance): OpenedDatabase {
  const open = (): Promise<PGliteInstance> => Promise.resolve(pglite);
  const sender = throughPGlite(kyselyOnPGlite(open), pglite, open);
  const whenReady = sendsWithin(sender, async (send, context) => {
    await (await loadPGlite()).waitForPGlite(pglite, context);
    return send();
  });
  return passedIn({ ...sender, ...whenReady });
}

function kyselyOnPGlite(open: () => Promise<PGliteInstance>): Kysely<CheckpointDatabase> {
  const pglite = async () => (await loadPGlite()).pgliteForKysely(await open());
  return new Kysely({ dialect: new PGliteDialect({ pglite }) });
}

// Each statement names the tables that it needs, so that it does not matter which of them the type of the Kysely lists.
function passedInKysely(given: AnyKysely): OpenedDatabase {
  const source = given as Kysely<CheckpointDatabase>;
  const sender = checkedFirst(throughKysely(source.withoutPlugins(), locksOfKysely(source)));
  return passedIn(source.isTransaction ? oneAtATime(sender, source) : sender);
}

/** Checks the driver of a Kysely before the first statement. */
function checkedFirst(sender: Sender): Sender {
  const checked = sendsWithin(sender, async (send, context) => {
    await (await loadDriverCheck()).checkDriver(sender.kysely, context);
    return send();
  });
  return { ...sender, ...checked };
}

/**
 * Sends one call at a time. A call sets the tenant of the whole transaction while it runs, so that no other
 * may send anything meanwhile.
 */
function oneAtATime(sender: Sender, transaction: Kysely<CheckpointDatabase>): Sender {
  return { ...sender, ...sendsWithin(sender, (send) => inTurn(transaction, send)) };
}

/** @param owner - Identifies the PGlite instance for all savers on it. */
function throughPGlite(
  kysely: Kysely<CheckpointDatabase>,
  owner: object,
  open: () => Promise<PGliteInstance>,
): Sender {
  shareWaits(owner, kysely.getExecutor().adapter);
  return {
    ...throughKysely(kysely, locksOfPGlite(owner)),
    maxConnections: "embedded",
    hasCitus: () => false,
    listener: async () => (await loadListeners()).listenerOfPGlite(owner, open),
    opening: async () => (await open()).waitReady,
  };
}

/** Sends statements through a Kysely, which decides about the connections. */
function throughKysely(kysely: Kysely<CheckpointDatabase>, locks: Locks): Sender {
  return {
    kysely,
    source: kysely,
    execute: async (statement, context = {}) => {
      const { executeThroughKysely } = await loadKyselySender();
      return executeThroughKysely(kysely, statement, context);
    },
    transact: async (steps, context = {}) => {
      const { transactThroughKysely } = await loadKyselySender();
      return transactThroughKysely(kysely, steps, context);
    },
    interact: async (run, context = {}) => {
      const { interactThroughKysely } = await loadKyselySender();
      return interactThroughKysely(kysely, context, run);
    },
    sendsTogether: false,
    locks,
    // The size of a pool without options, in `pg` and others.
    maxConnections: 10,
    address: () => ({}),
    listener: refuseToListen,
  };
}

function passedIn(sender: Sender): OpenedDatabase {
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

function isPGlite(source: object): source is PGliteInstance {
  return "query" in source && "waitReady" in source;
}

function isPool(source: object): source is PoolLike {
  return "connect" in source && "query" in source && "totalCount" in source;
}
