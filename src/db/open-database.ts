import { type ControlledTransaction, Kysely, PGliteDialect, PostgresDialect, type Transaction } from "kysely";
import pg from "pg";
import { InvalidConfigError } from "../errors.js";
import type { CheckpointDatabase } from "./checkpoint-database.js";
import { GuardedPool } from "./guarded-pool.js";
import { NamedStatements } from "./named-statements.js";
import { type PGliteInstance, pgliteOpener } from "./pglite-source.js";

/**
 * Where the checkpoints are. What is opened from a description is ours to close; what is already open stays open.
 *
 * - a connection string: `postgres://…` (whatever `pg` takes), `memory://` for PGlite in memory, `file://folder` for
 *   PGlite in a folder: opened here
 * - the options of a `pg.Pool`: opened here
 * - a `pg.Pool`, a `Kysely`, a `Transaction`, a `PGlite`: lent
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
}

/** A database as this library uses it. */
export interface OpenedDatabase {
  /** Runs the queries; without plugins, so that rows arrive as Postgres names them. */
  readonly kysely: Kysely<CheckpointDatabase>;
  /** The statements that are sent by name; absent where the connections are not ours to decide on. */
  readonly names: NamedStatements | undefined;
  /** Whether it was opened here and has been closed since. */
  readonly closed: boolean;
  /** Closes what was opened here, leaves what was lent. May be called more than once. */
  readonly close: () => Promise<void>;
}

/**
 * Opens a database, or takes over one that is open. Nothing is sent before the first query.
 *
 * @throws InvalidConfigError when `source` is none of the kinds that {@link DatabaseSource} lists.
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
  if (typeof source === "string") {
    return isPGliteUrl(source) ? ownedPGlite(source) : ownedPool({ connectionString: source }, options);
  }
  if (typeof source !== "object" || (source as unknown) === null) {
    throw new InvalidConfigError(
      "source",
      "expected a connection string, pool, Kysely, PGlite or pool options",
    );
  }
  if (isKysely(source)) return lentKysely(source);
  if (isPGlite(source)) return lentPGlite(source);
  return isPool(source) ? lentPool(source, options) : ownedPool(source, options);
}

function ownedPool(config: pg.PoolConfig, options: OpenDatabaseOptions): OpenedDatabase {
  const { kysely, names } = onPool(new pg.Pool(config), options);
  return owned(kysely, names);
}

function lentPool(pool: pg.Pool, options: OpenDatabaseOptions): OpenedDatabase {
  const { kysely, names } = onPool(pool, options);
  return lent(kysely, names);
}

function onPool(pool: pg.Pool, { prepare = true }: OpenDatabaseOptions) {
  const names = prepare ? new NamedStatements() : undefined;
  const dialect = new PostgresDialect({ pool: new GuardedPool(pool, names) });
  return { kysely: new Kysely<CheckpointDatabase>({ dialect }), names };
}

function ownedPGlite(url: string): OpenedDatabase {
  const { open, release } = pgliteOpener(url);
  const kysely = new Kysely<CheckpointDatabase>({ dialect: new PGliteDialect({ pglite: open }) });
  return owned(kysely, undefined, release);
}

function lentPGlite(pglite: PGliteInstance): OpenedDatabase {
  return lent(new Kysely({ dialect: new PGliteDialect({ pglite }) }), undefined);
}

function lentKysely(source: Kysely<CheckpointDatabase>): OpenedDatabase {
  return lent(source.withoutPlugins(), undefined);
}

function lent(kysely: Kysely<CheckpointDatabase>, names: NamedStatements | undefined): OpenedDatabase {
  return { kysely, names, closed: false, close: () => Promise.resolve() };
}

function owned(
  kysely: Kysely<CheckpointDatabase>,
  names: NamedStatements | undefined,
  release?: () => void,
): OpenedDatabase {
  let closing: Promise<void> | undefined;
  return {
    kysely,
    names,
    get closed() {
      return closing !== undefined;
    },
    close: () => (closing ??= kysely.destroy().finally(release)),
  };
}

function isPGliteUrl(source: string): boolean {
  return source.startsWith("memory://") || source.startsWith("file://");
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
