import { connectToServer } from "../test-support/postgres-target.js";
import type { TestDatabase } from "../test-support/test-database.js";
import { describeServerVersion, startTestServer } from "../test-support/test-server.js";

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
  const databases = new Databases();
  return {
    description: `${await describeServerVersion(url)} (${origin})`,
    url,
    emptyDatabase: () => databases.take(),
    stop: () => databases.dropAll(),
  };
}

/** Creating a database takes longer than most cases. Emptying one does not. */
class Databases {
  readonly #server = connectToServer();
  readonly #all: TestDatabase<string>[] = [];
  readonly #free: TestDatabase<string>[] = [];

  async take(): Promise<BenchDatabase> {
    const database = this.#free.pop() ?? (await this.#create());
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
    await this.#server.close?.();
  }

  async #create(): Promise<TestDatabase<string>> {
    const database = await this.#server.createDatabase();
    this.#all.push(database);
    return database;
  }
}
