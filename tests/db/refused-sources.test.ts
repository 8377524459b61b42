import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { PGlite, type Transaction as PGliteTransaction } from "@electric-sql/pglite";
import type { Kysely } from "kysely";
import pg from "pg";
import { PostgresCache } from "../../src/cache/index.js";
import { PostgresCheckpointStore } from "../../src/checkpoint-store/index.js";
import { type DatabaseSource, openDatabase } from "../../src/db/index.js";
import { type CheckpointDatabase, PostgresSaver, ShallowPostgresSaver } from "../../src/index.js";
import * as migrations from "../../src/migrations/index.js";
import { PostgresStore } from "../../src/store/index.js";
import { describePglite, describeServer } from "../../test-support/targets.js";

type Accepts<Source> = Source extends DatabaseSource ? true : false;

/** What TypeScript says about each kind of source. */
export const ACCEPTED: Readonly<Record<string, true>> = {
  pool: true satisfies Accepts<pg.Pool>,
  options: true satisfies Accepts<pg.PoolConfig>,
  pglite: true satisfies Accepts<PGlite>,
  client: true satisfies Accepts<pg.Client>,
  pooledClient: true satisfies Accepts<pg.PoolClient>,
  anyClient: true satisfies Accepts<pg.ClientBase>,
};
export const REFUSED: Readonly<Record<string, false>> = {
  transaction: false satisfies Accepts<PGliteTransaction>,
};

/** Programs in JavaScript, and those with casts, may pass anything. */
type Open = (source: unknown) => unknown;

const OPENINGS: Readonly<Record<string, Open>> = {
  "a saver": (source) => new PostgresSaver(source as DatabaseSource),
  "a shallow saver": (source) => new ShallowPostgresSaver(source as DatabaseSource),
  "a store": (source) => new PostgresStore(source as string),
  "a cache": (source) => new PostgresCache(source as string),
  "a checkpoint store": (source) => new PostgresCheckpointStore(source as string),
  openDatabase: (source) => openDatabase(source as DatabaseSource),
};

/** The functions of `/migrations` take a Kysely. */
const MIGRATIONS: Readonly<Record<string, (db: Kysely<CheckpointDatabase>) => Promise<unknown>>> = {
  migrateToLatest: (db) => migrations.migrateToLatest(db),
  migrateDown: (db) => migrations.migrateDown(db),
  migrationStatus: (db) => migrations.migrationStatus(db),
  planMigrations: (db) => migrations.planMigrations(db),
  convertShallowTables: (db) => migrations.convertShallowTables(db),
  convertStoreTables: (db) => migrations.convertStoreTables(db),
  createOptionalIndexes: (db) => migrations.createOptionalIndexes(db, { indexes: ["run-index"] }),
  dropOptionalIndexes: (db) => migrations.dropOptionalIndexes(db, { indexes: ["run-index"] }),
  optionalIndexStatus: (db) => migrations.optionalIndexStatus(db),
  distributionStatus: (db) => migrations.distributionStatus(db),
  distributeTables: (db) => migrations.distributeTables(db),
  undistributeTables: (db) => migrations.undistributeTables(db),
  planDistribution: (db) => migrations.planDistribution(db),
  planUndistribution: (db) => migrations.planUndistribution(db),
  planPartitions: (db) => migrations.planPartitions(db, { layout: "hash:2" }),
  partitionTables: (db) => migrations.partitionTables(db, { layout: "hash:2" }),
};

describeServer("a single connection of pg", (server) => {
  let pool: pg.Pool;
  let connected: pg.Client;

  beforeAll(async () => {
    const { source } = await server.sharedDatabase();
    pool = new pg.Pool({ connectionString: source });
    connected = new pg.Client({ connectionString: source });
    await connected.connect();
  });
  afterAll(async () => {
    await pool.end();
    await connected.end();
  });

  it.each(Object.entries(MIGRATIONS))("is refused by %s, and so is a pool", async (_, migrate) => {
    const sources: unknown[] = [connected, pool];
    for (const db of sources) {
      const refused = migrate(db as Kysely<CheckpointDatabase>);
      await expect(refused).rejects.toMatchObject({ code: "INVALID_CONFIG", field: "db" });
    }
  });
});

describePglite("a transaction of PGlite itself", (pglite) => {
  it.each(Object.entries(OPENINGS))("is refused by name by %s", async (_, open) => {
    const { source } = await pglite.createDatabase();
    await source.transaction((transaction) => {
      expect(() => open(transaction)).toThrow(
        /^source: must not be a transaction of PGlite\. Pass the PGlite/,
      );
      return Promise.resolve();
    });
  });
});
