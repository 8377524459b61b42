import { setTimeout as sleep } from "node:timers/promises";
import type { PlaceProject } from "../project/place-project.js";
import { checkEvents, checkInspector, type Visitor } from "./check-inspector.js";

/** Stores what the inspector shows. */
const PUT_THREAD = `
import { emptyCheckpoint } from "@langchain/langgraph-checkpoint";
import { PostgresSaver } from "langgraph-checkpoint-kysely";
const saver = new PostgresSaver(process.env.DATABASE_URL);
const values = { text: "a".repeat(3_000_000) };
const checkpoint = { ...emptyCheckpoint(), channel_values: values, channel_versions: { text: 1 } };
const config = { configurable: { thread_id: "inspected", checkpoint_ns: "" } };
await saver.put(config, checkpoint, { source: "loop", step: 0, parents: {} }, { text: 1 });
await saver.end();
`;

/** Lets a service be closed by a request for \`/close\`. */
const CLOSABLE = `
const { writeFileSync } = require("node:fs");
module.exports = (server, close) => {
  server.on("request", ({ url }) => {
    if (url === "/close") setImmediate(() => close().then(() => writeFileSync("closed", "now")));
  });
};
`;

const PAUSE_MS = 100;
/** Longer than a stream of the inspector lasts. */
const LONGEST_CLOSE_MS = 30_000;

/** The service that mounts the inspector. */
export interface InspectedService {
  /** The arguments of Node.js, by the port to listen on. */
  readonly args: (port: string) => readonly string[];
  /** Default: the one whom the documents let in. */
  readonly visitor?: Visitor;
  /** Whether its program uses `closable.cjs`. Default: true. */
  readonly isClosable?: boolean;
}

/** Runs the agent, and then a service that mounts the inspector. Returns what the agent saw. */
export async function inspectService(
  project: PlaceProject,
  { args, visitor, isClosable = true }: InspectedService,
): Promise<string> {
  const output = await project.node("main.mjs");
  await project.write({ "put-thread.mjs": PUT_THREAD, "closable.cjs": CLOSABLE, closed: "" });
  await project.node("put-thread.mjs");
  await project.serve(args, async (origin) => {
    await checkInspector(origin, visitor);
    if (isClosable) await checkClosing(project, origin, visitor);
    return "";
  });
  return output;
}

/** Closes the service while a page is open. */
async function checkClosing(project: PlaceProject, origin: string, visitor?: Visitor): Promise<void> {
  const page = await checkEvents(origin, visitor);
  const answer = await fetch(`${origin}/close`, { headers: { connection: "close" } });
  await answer.body?.cancel();
  while (!(await page.read()).done);
  for (let waited = 0; (await project.read("closed")) === ""; waited += PAUSE_MS) {
    if (waited > LONGEST_CLOSE_MS) throw new Error("An open page holds up the service that is closed");
    await sleep(PAUSE_MS);
  }
}
