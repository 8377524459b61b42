/**
 * Seeds a lively history and opens the inspector on it. Run it with `npm run demo:inspect`: it needs no API key, no network and no server.
 * `npm run demo:inspect -- postgres://…` runs it on your server.
 */
import { openInBrowser } from "../../src/cli/terminal/open-in-browser.js";
import { createInspector } from "../../src/inspector/index.js";
import { serveLocally } from "../../src/inspector/local/serve-locally.js";
import { paint, say } from "../demo/narrator.js";
import { runLiveThread } from "./live-graph.js";
import { createReportGraph } from "./report-graph.js";
import { createSupportAgent } from "./support-agent.js";
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

async function main({ url, write, open }: InspectOptions): Promise<void> {
  const stop = new AbortController();
  const { signal } = stop;
  process.once("SIGINT", () => {
    stop.abort();
  });
  await using database = await openSeededDatabase(url);
  const { saver, store } = database;
  say("seeded", `${(await saver.listThreads({ limit: 1_000 })).length} threads`);
  // A person can answer the orders that wait, and repeat the report that has failed. The two support agents have the same nodes: of the
  // threads that wait, `order-4713` names its agent in its metadata, and for `order-4712` a person has to choose.
  const clock = { now: Date.now() };
  const graphs = {
    "support-austria": createSupportAgent(saver, clock),
    "support-france": createSupportAgent(saver, clock, "The desk in France"),
    report: createReportGraph(saver, clock),
  };
  const { address, ended } = await serveLocally(
    (authorize) => createInspector(saver, { authorize, store, write, ...(write && { graphs }) }),
    { signal },
  );
  say("inspector", address, "green");
  if (!open || !(await openInBrowser(address)))
    say("open it", "the address works once, in a browser of this machine");
  say("live", "the thread “live” goes on until Ctrl-C");
  await runLiveThread(saver, signal);
  await ended;
}
