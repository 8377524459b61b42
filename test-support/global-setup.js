import { randomBytes } from "node:crypto";
import { tsImport } from "tsx/esm/api";

/** Starts the servers for the whole run and passes their addresses to the workers, which inherit the environment. */
export default async function globalSetup() {
  const { startTestServer, databaseStrategy, describeServerVersion, dropDatabase, hasVectors } =
    await tsImport("./test-server.ts", import.meta.url);
  const server = await startTestServer();
  process.env.CHECKPOINT_TEST_SERVER = server.url;
  process.env.CHECKPOINT_TEST_STRATEGY = await databaseStrategy(server.url);
  // The first worker that needs a migrated database creates it.
  const template = `checkpoint_migrated_${randomBytes(8).toString("hex")}`;
  process.env.CHECKPOINT_TEST_TEMPLATE = template;
  // Only some servers have the extension of embeddings.
  process.env.CHECKPOINT_TEST_VECTORS = (await hasVectors(server.url)) ? "yes" : "no";
  const { startTestRedis } = await tsImport("./redis-server.ts", import.meta.url);
  const redis = await startTestRedis();
  if (redis !== undefined) process.env.CHECKPOINT_TEST_REDIS = redis.url;
  globalThis.stopTestServer = async () => {
    // The others end with the run.
    if (server.origin === "DATABASE_URL") await dropDatabase(server.url, template);
    await Promise.all([server.stop(), redis?.stop()]);
  };
  console.log(`\nTest server: ${await describeServerVersion(server.url)} (${server.origin})`);
  if (!process.env.CITUS_URL) console.log("No Citus: the suites about it are skipped without CITUS_URL");
  console.log(redis === undefined ? "No Redis" : `Test Redis: ${redis.origin}`);
}
