import { startEmbeddedServer } from "../test-support/embedded-server.js";
import { connectToServer, databaseUrl, PostgresDatabase } from "../test-support/postgres-target.js";
import { postgresWithJit } from "../test-support/postgres-with-jit.js";
import { RESET, type TestDatabase } from "../test-support/test-database.js";
import { describeServerVersion, startTestServer } from "../test-support/test-server.js";
import { withClient } from "../test-support/with-client.js";

/** An empty database. Its user has to give it back. */
export interface BenchDatabase extends Pick<TestDatabase<string>, "source" | "query" | "exec"> {
  /** Deletes everything in it. All connections must be closed, because another user may get it next. */
  giveBack(): Promise<void>;
}

/** The server of a run. */
export interface BenchServer {
  /** The server's version and origin. */
  readonly description: string;
  readonly url: string;
  /** Returns an empty database: one that was given back, or a new one. */
  emptyDatabase(): Promise<BenchDatabase>;
  stop(): Promise<void>;
}

/** Opens the server that `DATABASE_URL` names, or one of the run's own, like the tests do. */
export async function startBenchServer(): Promise<BenchServer> {
  const server = await startTestServer();
  process.env.CHECKPOINT_TEST_SERVER = server.url;
  const connected = await connectBenchServer(server.url, server.origin);
  return {
    ...connected,
    stop: async () => {
      await connected.stop();
      await server.stop();
    },
  };
}

/** Uses a server that runs already, and keeps running after the benchmark. */
export async function connectBenchServer(url: string, origin: string): Promise<BenchServer> {
  const server = connectToServer();
  const databases = new Databases(() => server.createDatabase());
  return {
    description: `${await describeServerVersion(url)} (${origin})`,
    url,
    emptyDatabase: () => databases.take(),
    stop: async () => {
      await databases.dropAll();
      await server.close?.();
    },
  };
}

/**
 * Starts the newest server that is installed on the machine, as a distribution configures it: with JIT, and perhaps with pgvector. The one
 * of the run may have neither. `undefined` where none is installed.
 */
export async function startInstalledServer(): Promise<BenchServer | undefined> {
  const installed = postgresWithJit();
  if (installed === undefined) return undefined;
  const server = await startEmbeddedServer({ installed });
  let created = 0;
  const databases = new Databases(async () => {
    const name = `bench_${created++}`;
    await withClient(server.url, (client) => client.query(`create database ${name}`));
    // It goes with the server.
    return new PostgresDatabase(databaseUrl(server.url, name), RESET, () => Promise.resolve());
  });
  return {
    description: `${await describeServerVersion(server.url)} (installed)`,
    url: server.url,
    emptyDatabase: () => databases.take(),
    stop: async () => {
      await databases.dropAll();
      await server.remove();
    },
  };
}

/** Creating a database takes longer than most cases. Emptying one does not. */
class Databases {
  readonly #create: () => Promise<TestDatabase<string>>;
  readonly #all: TestDatabase<string>[] = [];
  readonly #free: TestDatabase<string>[] = [];

  constructor(create: () => Promise<TestDatabase<string>>) {
    this.#create = create;
  }

  async take(): Promise<BenchDatabase> {
    const database = this.#free.pop() ?? (await this.#add());
    return {
      source: database.source,
      query: (sql, parameters) => database.query(sql, parameters),
      exec: (sql) => database.exec(sql),
      giveBack: async () => {
        await database.reset();
        this.#free.push(database);
      },
    };
  }

  async dropAll(): Promise<void> {
    for (const database of this.#all) await database.drop();
  }

  async #add(): Promise<TestDatabase<string>> {
    const database = await this.#create();
    this.#all.push(database);
    return database;
  }
}
