/**
 * Seeds a lively history and opens the inspector on it. Run it with `npm run demo:inspect`: it needs no API key, no network and no server.
 * `npm run demo:inspect -- postgres://…` runs it on your server.
 */
import { once } from "node:events";
import { serveInspector } from "../../test-support/serve-inspector.js";
import { paint, say } from "../demo/narrator.js";
import { runLiveThread } from "./live-graph.js";
import { type InspectOptions, parseInspectOptions, USAGE } from "./options.js";
import { openSeededDatabase } from "./seeded-database.js";

try {
  const options = parseInspectOptions(process.argv.slice(2));
  if (options.help) console.log(USAGE);
  else await main(options);
} catch (error) {
  console.error(
    `${paint("red", "The demo failed.")} ${error instanceof Error ? error.message : String(error)}`,
  );
  process.exitCode = 1;
}

async function main({ url, write }: InspectOptions): Promise<void> {
  const ended = new AbortController();
  process.once("SIGINT", () => {
    ended.abort();
  });
  await using database = await openSeededDatabase(url);
  const { saver, store } = database;
  say("seeded", `${(await saver.listThreads({ limit: 1_000 })).length} threads`);
  const inspector = await serveInspector(saver, { store, write });
  say("open", inspector.url, "green");
  say("live", "the thread “live” goes on until Ctrl-C");
  await runLiveThread(saver, ended.signal);
  if (!ended.signal.aborted) await once(ended.signal, "abort");
  await inspector.close();
}
