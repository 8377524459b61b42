import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe } from "@jest/globals";
import {
  type BackendCheckpointStore,
  type CheckpointStoreOptions,
  MemoryCheckpointStore,
  PostgresCheckpointStore,
} from "../../src/checkpoint-store/index.js";
import { SqliteCheckpointStore } from "../../src/checkpoint-store/sqlite/index.js";
import { type DatabaseSource, describeEachTarget, type TestDatabase } from "../../test-support/targets.js";
import { describeRedis, openIoRedisStore, openRedisStore } from "./redis.js";
import { describeSqlite, SQLITE_KINDS } from "./sqlite.js";

/** The stores of a suite, on one backend. */
export interface BackendSuite {
  /** Opens a store that is set up. It is closed at the end of the test. */
  open(options?: CheckpointStoreOptions): Promise<BackendCheckpointStore>;
}

type Open = (options?: CheckpointStoreOptions) => BackendCheckpointStore | Promise<BackendCheckpointStore>;
type Body = (suite: BackendSuite) => void;

type DescribeBackend = (name: string, body: Body) => void;

/** One backend of each kind. What needs a table has it before the first test. */
const KINDS: readonly DescribeBackend[] = [
  (name, body) => {
    describe(`${name} (memory)`, () => {
      body(closing((options) => new MemoryCheckpointStore(options)));
    });
  },
  (name, body) => {
    describeEachTarget(name, (target) => {
      let database: TestDatabase | undefined;
      beforeAll(async () => {
        database = await target.createDatabase();
        await using store = new PostgresCheckpointStore(database.source);
        await store.setup();
      });
      body(closing((options) => new PostgresCheckpointStore(sourceOf(database), options)));
    });
  },
  (name, body) => {
    describeSqlite(`${name} (sqlite in a file)`, () => {
      let folder = "";
      let keeper: SqliteCheckpointStore | undefined;
      const file = (): string => join(folder, "checkpoints.db");
      beforeAll(async () => {
        folder = await mkdtemp(join(tmpdir(), "checkpoint-sqlite-"));
        // Stays open: the last connection that closes rewrites the file.
        keeper = new SqliteCheckpointStore(file());
        await keeper.setup();
      });
      afterAll(async () => {
        await keeper?.end();
        await rm(folder, { recursive: true });
      });
      body(closing((options) => new SqliteCheckpointStore(file(), options)));
    });
  },
  (name, body) => {
    describeRedis(`${name} (redis by node-redis)`, () => {
      body(closing(openRedisStore));
    });
  },
];

/** The same backends by other drivers. */
const BY_OTHER_DRIVERS: readonly DescribeBackend[] = [
  ...SQLITE_KINDS.map((kind) => (name: string, body: Body) => {
    describeSqlite(`${name} (sqlite in memory, ${kind.name} passed in)`, () => {
      body(closing((options) => setUp(new SqliteCheckpointStore(kind.open(":memory:").source, options))));
    });
  }),
  (name, body) => {
    describeRedis(`${name} (redis by ioredis)`, () => {
      body(closing(openIoRedisStore));
    });
  },
];

/**
 * Runs a suite on every backend of checkpoint stores. A backend that this machine lacks is skipped, and fails in CI.
 *
 * @example
 * ```ts
 * describeEachBackend("save", (suite) => {
 *   it("stores a checkpoint", async () => {
 *     const store = await suite.open();
 *   });
 * });
 * ```
 */
export function describeEachBackend(name: string, body: Body): void {
  describeEachKind(name, body);
  describeOtherDrivers(name, body);
}

/** Runs a suite as {@link describeEachBackend} does, by one driver each: for long suites whose result no driver decides. */
export function describeEachKind(name: string, body: Body): void {
  for (const describeBackend of KINDS) describeBackend(name, body);
}

/** Runs a suite on the backends that {@link describeEachKind} leaves out, for a long suite in two files. */
export function describeOtherDrivers(name: string, body: Body): void {
  for (const describeBackend of BY_OTHER_DRIVERS) describeBackend(name, body);
}

function closing(open: Open): BackendSuite {
  const opened: BackendCheckpointStore[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((store) => store.end()));
  });
  return {
    open: async (options) => {
      const store = await open(options);
      opened.push(store);
      return store;
    },
  };
}

async function setUp(store: BackendCheckpointStore): Promise<BackendCheckpointStore> {
  await store.setup();
  return store;
}

function sourceOf(database: TestDatabase | undefined): DatabaseSource {
  if (database === undefined) throw new Error("before the suite has begun");
  return database.source;
}
