import { tsImport } from "tsx/esm/api";

/** Starts the server for the whole run and passes its address to the workers, which inherit the environment. */
export default async function globalSetup() {
  const { startTestServer, describeServerVersion, hasVectors } = await tsImport(
    "./test-server.ts",
    import.meta.url,
  );
  const server = await startTestServer();
  process.env.CHECKPOINT_TEST_SERVER = server.url;
  // Only some servers have the extension of embeddings.
  process.env.CHECKPOINT_TEST_VECTORS = (await hasVectors(server.url)) ? "yes" : "no";
  globalThis.stopTestServer = () => server.stop();
  console.log(`\nTest server: ${await describeServerVersion(server.url)} (${server.origin})`);
}
