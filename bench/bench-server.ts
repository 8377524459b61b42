import { connectToServer } from "../tests/support/postgres-target.js";
import type { TestDatabase } from "../tests/support/test-database.js";
import { describeServerVersion, startTestServer } from "../tests/support/test-server.js";

/** A new, empty database; whoever created it drops it. */
export type BenchDatabase = TestDatabase<string>;

/** The server of a run. */
export interface BenchServer {
  /** What it is and where it comes from. */
  readonly description: string;
  readonly url: string;
  createDatabase(): Promise<BenchDatabase>;
  stop(): Promise<void>;
}

/** The server that `DATABASE_URL` names, or one of the run's own: the same that the tests run on. */
export async function startBenchServer(): Promise<BenchServer> {
  const server = await startTestServer();
  process.env.CHECKPOINT_TEST_SERVER = server.url;
  const databases = connectToServer();
  return {
    description: `${await describeServerVersion(server.url)} (${server.origin})`,
    url: server.url,
    createDatabase: () => databases.createDatabase(),
    stop: async () => {
      await databases.close();
      await server.stop();
    },
  };
}
