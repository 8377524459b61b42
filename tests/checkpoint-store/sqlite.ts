import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, test } from "@jest/globals";
import { Kysely, type SqliteDatabase, SqliteDialect } from "kysely";
import type { SqliteSource } from "../../src/checkpoint-store/sqlite/index.js";
import type {
  BetterSqlite3Database,
  NodeSqliteDatabase,
} from "../../src/checkpoint-store/sqlite/sqlite-source.js";

/** An open database of a test. */
export interface TestSqlite {
  readonly exec: (sql: string) => unknown;
  readonly all: (sql: string) => unknown[];
  readonly close: () => void;
  /** What a store gets. */
  readonly source: SqliteSource;
}

/** A kind of source on a file. */
export interface SqliteKind {
  readonly name: string;
  /** Opens the file. It is closed at the end of the test. */
  open(path: string): TestSqlite;
}

type Closable<T> = T & { close(): void };
type Opener<T> = new (path: string) => Closable<T>;

const builtin: unknown = process.getBuiltinModule("node:sqlite");

/** Whether this Node.js has `node:sqlite`. */
export const HAS_NODE_SQLITE = builtin !== undefined;

/** better-sqlite3 ends older versions of Node.js. */
const HAS_BETTER_SQLITE3 = HAS_NODE_SQLITE && !process.version.startsWith("v22.13.");

/** Opens a database of `node:sqlite`. */
export function openNodeSqlite(path: string): Closable<NodeSqliteDatabase> {
  const { DatabaseSync } = builtin as { readonly DatabaseSync: Opener<NodeSqliteDatabase> };
  return new DatabaseSync(path);
}

/** Past Jest's loader, which can't load a native addon twice. */
function betterSqlite3(): unknown {
  return process.getBuiltinModule("node:module").createRequire(import.meta.url)("better-sqlite3-13");
}

const opened: (() => void)[] = [];

const NODE_SQLITE: SqliteKind = {
  name: "node:sqlite",
  open: (path) => {
    const database = openNodeSqlite(path);
    return testing(database, database, (sql) => database.prepare(sql).all());
  },
};

const BETTER_SQLITE3: SqliteKind = {
  name: "better-sqlite3",
  open: (path) => {
    const Database = betterSqlite3() as Opener<BetterSqlite3Database>;
    const database = new Database(path);
    return testing(database, database, (sql) => database.prepare(sql).all());
  },
};

const KYSELY: SqliteKind = {
  name: "Kysely",
  open: (path) => {
    const Database = betterSqlite3() as Opener<SqliteDatabase & Pick<BetterSqlite3Database, "exec">>;
    const database = new Database(path);
    const source = new Kysely<unknown>({ dialect: new SqliteDialect({ database }) });
    return testing(database, source, (sql) => database.prepare(sql).all([]));
  },
};

/** Every kind of open database that a store takes on this Node.js. */
export const SQLITE_KINDS: readonly SqliteKind[] = [
  ...(HAS_NODE_SQLITE ? [NODE_SQLITE] : []),
  ...(HAS_BETTER_SQLITE3 ? [BETTER_SQLITE3, KYSELY] : []),
];

/** Runs a suite where Node.js has `node:sqlite`: from 22.13 on. The gate runs all tests on such a version. */
export function describeSqlite(name: string, body: (folder: () => string) => void): void {
  if (!HAS_NODE_SQLITE) {
    describe(name, () => {
      test.skip("on Node.js 22.13", () => undefined);
    });
    return;
  }
  describe(name, () => {
    const folders: string[] = [];
    afterEach(() => {
      for (const close of opened.splice(0)) close();
      for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
    });
    body(() => {
      const folder = mkdtempSync(join(tmpdir(), "checkpoint-sqlite-"));
      folders.push(folder);
      return join(folder, "checkpoints.db");
    });
  });
}

function testing(
  database: Closable<{ exec(sql: string): unknown }>,
  source: SqliteSource,
  all: (sql: string) => unknown[],
): TestSqlite {
  let isClosed = false;
  const close = (): void => {
    if (!isClosed) database.close();
    isClosed = true;
  };
  opened.push(close);
  return { exec: (sql) => database.exec(sql), all, close, source };
}
