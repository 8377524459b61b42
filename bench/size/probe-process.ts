/**
 * A process that makes a turn of an agent every 200 ms. At each message of its parent it answers with the longest `put` since the last
 * one, in milliseconds: probe-process.ts <connection string>
 */
import { setTimeout as sleep } from "node:timers/promises";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { timed } from "../measure/take-turns.js";
import { openPool } from "../open-pool.js";
import { variedText } from "../scenarios/sample-data.js";
import { openOurs } from "../subjects.js";

const EVERY_MS = 200;

const url = new URL(process.argv[2] ?? "");
url.searchParams.set("application_name", "probe");
const pool = openPool(url.href, 2);
const saver = openOurs(pool);
const thread = threadConfig(newThread());
let longest = 0;
const end = new AbortController();
process.on("message", (message) => {
  process.send?.(longest);
  longest = 0;
  if (message === "end") end.abort();
});

for (let turn = 0; !end.signal.aborted; turn++) {
  const began = performance.now();
  const last = await saver.getTuple(thread);
  const values = { log: variedText(600, turn) };
  let config = last?.config ?? thread;
  const took = await timed(async () => {
    ({ config } = await putValues(saver, config, values, last?.checkpoint));
  });
  // The first one opens the connections.
  if (turn > 0) longest = Math.max(longest, took);
  await saver.putWrites(config, [["log", variedText(600, turn + 1)]], newThread());
  await sleep(Math.max(0, EVERY_MS - (performance.now() - began)));
}
await pool.end();
process.disconnect();
