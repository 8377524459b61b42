import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { startPglite } from "../../test-support/pglite-target.js";
import { startTestRedis } from "../../test-support/redis-server.js";
import type { BenchServer } from "../bench-server.js";
import { openPool } from "../open-pool.js";
import type { Size } from "../scenarios/scenario.js";
import { rawMemory } from "./raw-memory.js";
import { rawRedis } from "./raw-redis.js";
import { rawSql, type Row } from "./raw-sql.js";
import type { Step, Steps } from "./steps.js";
import type { BetterSqlite3Database } from "../../src/checkpoint-store/sqlite/sqlite-source.js";

// The addresses are not literals, so TypeScript does not resolve them: types are checked before there is a build.
const { MemoryCheckpointStore, PostgresCheckpointStore } = (await import(
  import.meta.resolve("langgraph-checkpoint-kysely/checkpoint-store")
)) as typeof import("../../src/checkpoint-store/index.js");
const { SqliteCheckpointStore } = (await import(
  import.meta.resolve("langgraph-checkpoint-kysely/checkpoint-store/sqlite")
)) as typeof import("../../src/checkpoint-store/sqlite/index.js");
const { RedisCheckpointStore } = (await import(
  import.meta.resolve("langgraph-checkpoint-kysely/checkpoint-store/redis")
)) as typeof import("../../src/checkpoint-store/redis/index.js");

/** A store of this library, and the same work by its driver alone. */
export interface Opened {
  readonly ours: Steps;
  readonly raw: Steps;
  readonly end: () => Promise<void>;
}

/** A backend. */
export interface BenchBackend {
  readonly name: string;
  /** Opens both. Returns why not, where the machine does not have it. */
  readonly open: (server: BenchServer, size: Size) => Promise<Opened | string>;
}

type Store = InstanceType<typeof MemoryCheckpointStore>;

/** Every backend, in the order of the report. */
export const BACKENDS: readonly BenchBackend[] = [
  {
    name: "memory",
    open: () =>
      Promise.resolve({ ours: stepsOf(new MemoryCheckpointStore()), raw: rawMemory(), end: nothing }),
  },
  {
    name: "PGlite",
    open: async (_server, { quick }) => {
      // From a snapshot, since PGlite takes seconds to create a cluster.
      const start = quick ? startPglite : () => PGlite.create();
      const [ours, raw] = [await start(), await start()];
      const query = async (_: string, sql: string, values: readonly (string | number)[]) =>
        (await raw.query<Row>(sql, [...values])).rows;
      return {
        ours: stepsOf(new PostgresCheckpointStore(ours)),
        raw: rawSql({ ...POSTGRES, query, end: nothing }),
        end: async () => {
          await ours.close();
          await raw.close();
        },
      };
    },
  },
  {
    name: "PostgreSQL",
    open: async (server) => {
      const database = await server.emptyDatabase();
      const [ours, raw] = [openPool(database.source), openPool(database.source)];
      const query = async (name: string, text: string, values: readonly (string | number)[]) =>
        (await raw.query<Row>({ name, text, values: [...values] })).rows;
      return {
        ours: stepsOf(new PostgresCheckpointStore(ours)),
        raw: rawSql({ ...POSTGRES, query, end: nothing }),
        end: async () => {
          await ours.end();
          await raw.end();
          await database.giveBack();
        },
      };
    },
  },
  {
    name: "node:sqlite",
    open: async () => {
      const sqlite = process.getBuiltinModule("node:sqlite") as { DatabaseSync: SqliteClass } | undefined;
      if (sqlite === undefined) return "this Node.js has no node:sqlite";
      const folder = await mkdtemp(join(tmpdir(), "bench-sqlite-"));
      return openSqlite(folder, new SqliteCheckpointStore(join(folder, "ours")), sqlite.DatabaseSync);
    },
  },
  {
    name: "better-sqlite3",
    open: async () => {
      const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
      // It ends an older Node.js by a segmentation fault.
      if (major < 22 || (major === 22 && minor < 14)) return "better-sqlite3 13 needs Node.js 22.14";
      const Database = createRequire(import.meta.url)("better-sqlite3-13") as new (
        path: string,
      ) => SqliteDatabase & BetterSqlite3Database;
      const folder = await mkdtemp(join(tmpdir(), "bench-sqlite-"));
      const ours = new Database(join(folder, "ours"));
      ours.exec(PRAGMAS);
      return openSqlite(folder, new SqliteCheckpointStore(ours), Database, () => {
        ours.close();
      });
    },
  },
  {
    name: "Redis",
    open: async () => {
      const server = await startTestRedis();
      if (server === undefined) return "there is no redis-server";
      const ours = new RedisCheckpointStore(server.url, { prefix: "bench:ours:" });
      return {
        ours: stepsOf(ours),
        raw: await rawRedis(server.url, "bench:raw:"),
        end: () => server.stop(),
      };
    },
  },
];

const POSTGRES = {
  at: (n: number) => `$${n}`,
  types: { json: "jsonb", time: "timestamptz", key: `text collate "C"` },
  // The driver has parsed it.
  read: (row: Row): object => row,
};

/** What the drivers of SQLite have in common. */
interface SqliteDatabase {
  exec(sql: string): void;
  prepare(sql: string): {
    all(...values: (string | number)[]): Row[];
    run(...values: (string | number)[]): unknown;
  };
  close(): void;
}
type SqliteClass = new (path: string) => SqliteDatabase;

/** As the store sets up what it opens. */
const PRAGMAS = "pragma journal_mode = wal; pragma synchronous = full";

function openSqlite(
  folder: string,
  ours: InstanceType<typeof SqliteCheckpointStore>,
  Database: SqliteClass,
  closeOurs: () => void = () => undefined,
): Opened {
  const raw = new Database(join(folder, "raw"));
  raw.exec(PRAGMAS);
  const prepared = new Map<string, ReturnType<SqliteDatabase["prepare"]>>();
  const query = (name: string, sql: string, values: readonly (string | number)[]): Row[] => {
    const statement = prepared.get(name) ?? raw.prepare(sql);
    prepared.set(name, statement);
    if (sql.startsWith("select")) return statement.all(...values);
    statement.run(...values);
    return [];
  };
  const read = (row: Row): object => ({
    ...row,
    state: JSON.parse(String(row.state)) as unknown,
    metadata: JSON.parse(String(row.metadata)) as unknown,
    timestamp: new Date(String(row.timestamp)),
  });
  const types = { json: "text", time: "datetime", key: "text" };
  return {
    ours: stepsOf(ours),
    raw: rawSql({ query, at: () => "?", types, read, end: nothing }),
    end: async () => {
      closeOurs();
      raw.close();
      await rm(folder, { recursive: true });
    },
  };
}

function stepsOf(store: Pick<Store, "setup" | "save" | "load" | "list" | "latest" | "end">): Steps {
  return {
    setup: () => store.setup(),
    save: (step: Step) => store.save(step),
    load: (id) => store.load(id),
    list: (executionId) => store.list(executionId),
    latest: (executionId) => store.latest(executionId),
    end: () => store.end(),
  };
}

function nothing(): Promise<void> {
  return Promise.resolve();
}
