import type { Kysely } from "kysely";
import { InvalidConfigError } from "../../errors/index.js";
import { toSqliteError } from "./sqlite-errors.js";

/** A database of better-sqlite3, by what is used of it. */
export interface BetterSqlite3Database {
  /** Compiles a statement. */
  prepare(sql: string): BetterSqlite3Statement;
  /** Runs statements without parameters. */
  exec(sql: string): unknown;
  /** Runs a `PRAGMA`. */
  pragma(source: string): unknown;
}

/** A statement of better-sqlite3. */
export interface BetterSqlite3Statement {
  /** Whether it returns rows. */
  readonly reader: boolean;
  /** Returns the rows. */
  all(...parameters: unknown[]): unknown[];
  /** Runs a statement that returns no rows. */
  run(...parameters: unknown[]): unknown;
}

/** A `DatabaseSync` of `node:sqlite`, by what is used of it. */
export interface NodeSqliteDatabase {
  /** Compiles a statement. */
  prepare(sql: string): NodeSqliteStatement;
  /** Runs statements without parameters. */
  exec(sql: string): void;
  /** Opens a database that was created closed. */
  open(): void;
}

/** A statement of `node:sqlite`. */
export interface NodeSqliteStatement {
  /** Returns the rows. */
  all(...parameters: SqliteParameter[]): unknown[];
}

/** What a parameter of a statement may be. */
export type SqliteParameter = string | number | null;

/** A Kysely on SQLite, or a transaction of one, with any tables. */
export type SqliteKysely = Pick<Kysely<unknown>, "isTransaction" | "getExecutor">;

/**
 * Where the table of a checkpoint store in SQLite is.
 *
 * - A path, or `":memory:"`. The store opens it with `node:sqlite`, which needs Node.js 22.13, and closes it.
 * - An open database of better-sqlite3 or of `node:sqlite`.
 * - A Kysely on SQLite, or a transaction of one.
 *
 * The store never closes what you pass in.
 */
export type SqliteSource = string | BetterSqlite3Database | NodeSqliteDatabase | SqliteKysely;

/** A source by its kind. */
type RecognizedSource =
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "better-sqlite3"; readonly database: BetterSqlite3Database }
  | { readonly kind: "node:sqlite"; readonly database: NodeSqliteDatabase }
  | { readonly kind: "kysely"; readonly kysely: SqliteKysely };

/**
 * Recognizes a source by what it has: an application may have several copies of a package.
 *
 * @throws InvalidConfigError for anything else.
 */
export function recognizeSource(source: SqliteSource): RecognizedSource {
  if (typeof source === "string") {
    if (source === "" || source.includes("\0")) {
      throw new InvalidConfigError("source", "must be a path, which is not empty and has no U+0000");
    }
    return { kind: "path", path: source };
  }
  if (typeof source === "object" && (source as unknown) !== null) {
    if ("getExecutor" in source) return { kind: "kysely", kysely: onSqlite(source) };
    if ("pragma" in source) return { kind: "better-sqlite3", database: source };
    if ("prepare" in source && "open" in source) return { kind: "node:sqlite", database: source };
  }
  throw new InvalidConfigError(
    "source",
    "expected a path, a database of better-sqlite3 or of node:sqlite, or a Kysely",
  );
}

// Of the dialects of Kysely, only SQLite's returns rows of changes, and has no transactions around those of the schema.
function onSqlite(kysely: SqliteKysely): SqliteKysely {
  const { supportsReturning, supportsTransactionalDdl } = kysely.getExecutor().adapter;
  if (supportsReturning && !supportsTransactionalDdl) return kysely;
  throw new InvalidConfigError("source", "the Kysely is not on SQLite");
}

/** A database of `node:sqlite` that this library has opened. */
export interface OwnDatabase extends NodeSqliteDatabase {
  close(): void;
}

/**
 * How long SQLite itself waits for the lock of another process, in milliseconds. It blocks this process meanwhile, so it is short: the
 * retries of the store wait without blocking.
 */
const BUSY_TIMEOUT_MS = 100;

/** With a write-ahead log readers don't block writers. What a save has acknowledged is on the disk. */
const PRAGMAS = `pragma busy_timeout = ${BUSY_TIMEOUT_MS}; pragma journal_mode = wal; pragma synchronous = full;`;

/**
 * Returns what opens a database with `node:sqlite`, whose types newer versions of Node.js have.
 *
 * @throws InvalidConfigError where Node.js has no `node:sqlite`.
 */
export function nodeSqliteOpener(): (path: string) => OwnDatabase {
  // Not an import, which older versions of Node.js would fail at.
  const sqlite = process.getBuiltinModule("node:sqlite");
  // It is being renamed.
  const names = ["Database", "DatabaseSync"];
  const Database: unknown =
    sqlite && names.map((name): unknown => Reflect.get(sqlite, name)).find(isDatabaseClass);
  if (!isDatabaseClass(Database)) {
    throw new InvalidConfigError(
      "source",
      `a path needs Node.js 22.13 or later, or an open better-sqlite3 database in its place (this is ${process.version})`,
    );
  }
  return (path) => {
    let database: OwnDatabase | undefined;
    try {
      database = new Database(path);
      database.exec(PRAGMAS);
      return database;
    } catch (error) {
      database?.close();
      throw toSqliteError(error, path);
    }
  };
}

function isDatabaseClass(value: unknown): value is new (path: string) => OwnDatabase {
  return typeof value === "function";
}
