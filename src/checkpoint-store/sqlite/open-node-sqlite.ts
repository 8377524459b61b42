import { InvalidConfigError } from "../../errors/index.js";
import { toSqliteError } from "./sqlite-errors.js";
import type { NodeSqliteDatabase } from "./sqlite-source.js";

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
