import { afterAll, afterEach, beforeEach, describe, it } from "@jest/globals";
import type { PGlite } from "@electric-sql/pglite";
import { openDatabase } from "../src/db/index.js";
import { PostgresSaver } from "../src/index.js";
import { type PartitionLayout, partitionTables } from "../src/migrations/index.js";
import { connectToCitus } from "./citus-target.js";
import { createPgliteDatabase, createVectorPglite } from "./pglite-target.js";
import { connectToServer } from "./postgres-target.js";
import type { Databases, DatabaseSource, TestDatabase } from "./test-database.js";

export type { DatabaseSource, TestDatabase } from "./test-database.js";

/** A kind of Postgres that a suite runs on. */
export interface Target<Source extends DatabaseSource = DatabaseSource> {
  readonly name: "postgres" | "pglite";
  /**
   * Creates an empty database. One that a test or a `beforeEach` creates exists until the end of the test, one that a
   * `beforeAll` creates until the end of the suite.
   */
  createDatabase(): Promise<TestDatabase<Source>>;
  /** Creates a database as `createDatabase` does, with the tables that `setup` creates in the schema `public`. */
  migratedDatabase(): Promise<TestDatabase<Source>>;
  /**
   * Returns the migrated database that the tests of the suite share. It is emptied after each test, which takes a
   * hundredth of the time of another one. Each test closes the connections that it opened.
   */
  sharedDatabase(): Promise<TestDatabase<Source>>;
}

/**
 * Changes what the suites below run on: `server` leaves out PGlite, and `every` also runs suites on PGlite that the
 * gate runs only on the server.
 */
const CHOSEN = process.env.TEST_TARGETS;

/**
 * The coordinator of a Citus cluster. Where it is set, the suites of a server run there, and the tables of savers are
 * distributed as they are created. It is meant for the suites of rooms that read or write checkpoints:
 * `CITUS_URL=postgres://… npx jest tests/saver`.
 */
const CITUS_URL = process.env.CITUS_URL ?? "";

/** Whether the suites of a server run on Citus. */
export const ON_CITUS = CITUS_URL !== "";

/** The layout of the shared databases of {@link describePartitioned}. */
const PARTITIONS = "hash:4";

/** Gives the shared database of every suite on a server the layout `TEST_LAYOUT`, such as `hash:4`. */
const LAYOUT = (process.env.TEST_LAYOUT ?? "none") as PartitionLayout;

// Faster than TRUNCATE for a few rows.
const EMPTY_TABLES = `
  delete from checkpoints;
  delete from checkpoint_blobs;
  delete from checkpoint_writes;
  delete from checkpoint_tombstones`;

/**
 * Runs a suite on a real server and on PGlite. Use it for what depends on the kind of Postgres: opening and closing,
 * transactions and locks, cancelling, migrations, the encoding of parameters and the decoding of rows.
 *
 * @example
 * ```ts
 * describeEachTarget("put", (target) => {
 *   it("stores a checkpoint", async () => {
 *     const database = await target.createDatabase();
 *     const saver = new PostgresSaver(database.source);
 *   });
 * });
 * ```
 */
export function describeEachTarget(name: string, body: (target: Target) => void): void {
  describeServer(name, body);
  if (CHOSEN !== "server") describePglite(name, body);
}

/**
 * Runs a suite on the server, and with `TEST_TARGETS=every` on PGlite too. Use it for what SQL and our own code
 * decide alike on any Postgres, which is most suites. `tests/saver/every-method.test.ts` calls each method on PGlite.
 */
export function describeAnyTarget(name: string, body: (target: Target) => void): void {
  describeServer(name, body);
  if (CHOSEN === "every") describePglite(name, body);
}

/** Runs a suite only on the server, for what PGlite lacks: several connections, roles, lost backends. */
export function describeServer(name: string, body: (target: Target<string>) => void): void {
  describe(`${name} (postgres)`, () => {
    const server = ON_CITUS ? connectToCitus(CITUS_URL, { distributes: true }) : connectToServer();
    describeTarget("postgres", server, body, LAYOUT);
    afterAll(() => server.close?.());
  });
}

/** Runs a suite only on the server, where the tables of the shared database are partitions by thread. */
export function describePartitioned(name: string, body: (target: Target<string>) => void): void {
  describe(`${name} (${PARTITIONS})`, () => {
    describeTarget("postgres", connectToServer(), body, PARTITIONS);
  });
}

/**
 * Runs a suite only on the Citus cluster that `CITUS_URL` names, for what is different there. The suite itself
 * distributes its tables.
 */
export function describeCitus(name: string, body: (target: Target<string>) => void): void {
  describe(`${name} (citus)`, () => {
    if (!ON_CITUS) {
      it.skip("needs the coordinator of a Citus cluster: CITUS_URL", () => undefined);
      return;
    }
    const server = connectToCitus(CITUS_URL, { distributes: false });
    describeTarget("postgres", server, body);
    afterAll(() => server.close?.());
  });
}

/**
 * Returns a function that defines a test or a suite as `define` does, and where `CITUS_URL` is set skips it. Use it for what is not so
 * on Citus, or can't be seen from the coordinator.
 *
 * @param reason - Ends the title of what is skipped.
 *
 * @example
 * ```ts
 * const itOnOneServer = onOneServer("distributed tables have no triggers", it);
 * ```
 */
export function onOneServer<Body>(
  reason: string,
  define: (name: string, body: Body) => void,
): (name: string, body: Body) => void {
  if (!ON_CITUS) return define;
  return (name) => {
    it.skip(`${name} (not on Citus: ${reason})`, () => undefined);
  };
}

/** Runs a suite only on PGlite. */
export function describePglite(name: string, body: (target: Target<PGlite>) => void): void {
  describe(`${name} (pglite)`, () => {
    describeTarget("pglite", { createDatabase: createPgliteDatabase }, body);
  });
}

/** Runs a suite about embeddings on PGlite, and on the server where it has the extension. */
export function describeVectors(name: string, body: (target: Target) => void): void {
  if (process.env.CHECKPOINT_TEST_VECTORS === "yes") describeServer(name, body);
  describe(`${name} (pglite)`, () => {
    describeTarget("pglite", { createDatabase: createVectorPglite }, body);
  });
}

function describeTarget<Source extends DatabaseSource>(
  name: Target["name"],
  databases: Databases<Source>,
  body: (target: Target<Source>) => void,
  layout: PartitionLayout = "none",
): void {
  const ofSuite: TestDatabase[] = [];
  const ofTest: TestDatabase[] = [];
  let inTest = false;
  let shared: Promise<TestDatabase<Source>> | undefined;
  const createMigrated = async (): Promise<TestDatabase<Source>> => {
    if (databases.migratedDatabase !== undefined) return databases.migratedDatabase(migrate);
    const database = await databases.createDatabase();
    await migrate(database.source);
    return database;
  };
  const keep = async (database: Promise<TestDatabase<Source>>): Promise<TestDatabase<Source>> => {
    const kept = inTest ? ofTest : ofSuite;
    kept.push(await database);
    return database;
  };
  const createShared = async (): Promise<TestDatabase<Source>> => {
    const database = await createMigrated();
    ofSuite.push(database);
    if (layout !== "none") await partition(database.source, layout);
    return database;
  };
  beforeEach(() => {
    inTest = true;
  });
  body({
    name,
    createDatabase: () => keep(databases.createDatabase()),
    migratedDatabase: () => keep(createMigrated()),
    sharedDatabase: () => (shared ??= createShared()),
  });
  // Registered after the body, so that its own hooks still find the databases open: hooks run in the order of
  // registration.
  afterEach(async () => {
    inTest = false;
    await dropAll(ofTest);
    await (await shared)?.exec(EMPTY_TABLES);
  });
  afterAll(() => dropAll(ofSuite));
}

async function migrate(source: DatabaseSource): Promise<void> {
  await using saver = new PostgresSaver(source);
  await saver.setup();
}

async function partition(source: DatabaseSource, layout: PartitionLayout): Promise<void> {
  const { kysely, close } = openDatabase(source);
  try {
    await partitionTables(kysely, { layout });
  } finally {
    await close();
  }
}

async function dropAll(databases: TestDatabase[]): Promise<void> {
  for (const database of databases.splice(0)) await database.drop();
}
