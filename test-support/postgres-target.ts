import { randomBytes } from "node:crypto";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { type Databases, type Migrate, RESET, type TestDatabase } from "./test-database.js";
import { until } from "./until.js";
import { withClient } from "./with-client.js";

/** The server of the run, which creates databases. */
export interface PostgresServer extends Databases<string> {
  readonly close?: () => Promise<void>;
}

let server: PostgresServer | undefined;

/**
 * Returns the server that the global setup started. The suites of a worker share a connection to it, which keeps no
 * process alive.
 */
export function connectToServer(): PostgresServer {
  server ??= openServer();
  return server;
}

function openServer(): PostgresServer {
  const url = process.env.CHECKPOINT_TEST_SERVER;
  if (url === undefined) throw new Error("No test server: run the tests through jest, with its global setup");
  const admin = quietPool(url, 1, { allowExitOnIdle: true });
  const create = async (options = ""): Promise<TestDatabase<string>> => {
    const name = `checkpoint_${randomBytes(8).toString("hex")}`;
    await admin.query(`create database ${name} ${options} ${process.env.CHECKPOINT_TEST_STRATEGY ?? ""}`);
    return new PostgresDatabase(databaseUrl(url, name), RESET, async () => {
      await untilNobodyIsIn(name, admin);
      await admin.query(`drop database if exists ${name} with (force)`);
    });
  };
  let template: Promise<string> | undefined;
  return {
    createDatabase: () => create(),
    migratedDatabase: async (migrate) => {
      template ??= prepareTemplate(url, migrate);
      return create(`template ${await template}`);
    },
  };
}

/**
 * Creates the run's migrated database, unless another worker has, and returns its name. Copying it takes a third of the
 * time of migrating another one.
 */
function prepareTemplate(url: string, migrate: Migrate): Promise<string> {
  const name = process.env.CHECKPOINT_TEST_TEMPLATE ?? "";
  return withClient(url, async (admin) => {
    await admin.query("select pg_advisory_lock(hashtextextended($1, 0))", [name]);
    const { rowCount } = await admin.query("select from pg_database where datname = $1", [name]);
    if (rowCount === 0) await createTemplate(admin, url, name, migrate);
    return name;
  });
}

async function createTemplate(admin: pg.Client, url: string, name: string, migrate: Migrate): Promise<void> {
  // It gets its name when it is complete, since this worker may be killed before.
  const draft = `${name}_draft`;
  await admin.query(`drop database if exists ${draft} with (force)`);
  await admin.query(`create database ${draft}`);
  const source = databaseUrl(url, draft);
  await migrate(source);
  await untilNobodyIsIn(draft, admin);
  // The first connection after the migrations writes the file from which others load the catalog. It is copied, too.
  await withClient(source, () => Promise.resolve());
  await untilNobodyIsIn(draft, admin);
  await admin.query(`alter database ${draft} rename to ${name}`);
}

/** A database of a server. The caller knows the statement that empties it, and what dropping it takes. */
export class PostgresDatabase implements TestDatabase<string> {
  readonly source: string;
  readonly #reset: string;
  readonly #dropOnServer: () => Promise<void>;
  readonly #pools: pg.Pool[] = [];
  #idle: pg.Client | undefined;
  #dropped: Promise<void> | undefined;

  constructor(url: string, reset: string, dropOnServer: () => Promise<void>) {
    this.source = url;
    this.#reset = reset;
    this.#dropOnServer = dropOnServer;
  }

  kysely<DB>(): Kysely<DB> {
    return new Kysely<DB>({ dialect: new PostgresDialect({ pool: this.#pool() }) });
  }

  async query<Row extends Record<string, unknown>>(sql: string, parameters?: unknown[]): Promise<Row[]> {
    return this.#onConnection(async (client) => (await client.query<Row>(sql, parameters)).rows);
  }

  async exec(sql: string): Promise<void> {
    await this.#onConnection((client) => client.query(sql));
  }

  reset(): Promise<void> {
    return this.exec(this.#reset);
  }

  drop(): Promise<void> {
    this.#dropped ??= this.#drop();
    return this.#dropped;
  }

  async #drop(): Promise<void> {
    await this.#idle?.end();
    await Promise.all(this.#pools.filter((pool) => !pool.ended).map((pool) => pool.end()));
    await this.#dropOnServer();
  }

  // One connection is kept, because a new one takes longer than most statements. It is reset after each call, so that
  // its session neither hides nor keeps what a test looks for.
  async #onConnection<Result>(use: (client: pg.Client) => Promise<Result>): Promise<Result> {
    if (this.#dropped !== undefined) throw new Error("The test's database is dropped");
    const kept = this.#idle;
    this.#idle = undefined;
    const client = kept ?? (await this.#connect());
    let isReset = false;
    try {
      const result = await use(client);
      await client.query("discard all");
      isReset = true;
      return result;
    } finally {
      if (isReset && this.#mayKeepOne()) this.#idle = client;
      else await client.end();
    }
  }

  #mayKeepOne(): boolean {
    return this.#idle === undefined && this.#dropped === undefined;
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.source });
    // Tests terminate backends on purpose.
    client.on("error", () => undefined);
    client.once("end", () => {
      if (this.#idle === client) this.#idle = undefined;
    });
    await client.connect();
    return client;
  }

  #pool(): pg.Pool {
    const pool = quietPool(this.source, 4);
    this.#pools.push(pool);
    return pool;
  }
}

/** The number of checks whether the sessions of a database have ended, about half a second in all. */
const LOOKS = 20;

/** Whether a session is that of a client, not one of the server, or between the nodes of Citus. */
export const IS_CLIENT = "backend_type = 'client backend' and application_name not like 'citus\\_%'";

const SESSIONS = `select from pg_stat_activity where datname = $1 and ${IS_CLIENT}`;

/**
 * Waits until the server has noticed that pools were ended. Dropping the database by force earlier would terminate
 * such a session, and the ended pool would emit an error that nobody listens to.
 */
export async function untilNobodyIsIn(name: string, admin: Pick<pg.Client, "query">): Promise<void> {
  let looks = 0;
  await until(async () => {
    const { rowCount } = await admin.query(SESSIONS, [name]);
    return rowCount === 0 || ++looks === LOOKS;
  });
}

/** Creates a pool that survives the loss of its connections, because tests terminate backends on purpose. */
export function quietPool(url: string, max: number, options: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max, ...options });
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

/** Returns the address of another database of the same server. */
export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
