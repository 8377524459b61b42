/**
 * A new process that makes the calls of a case, and tells its parent how long each of them took, in milliseconds:
 * cold-process.ts <side> <work> <number of the process> <calls> <pause in ms> <connection string>
 */
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { timed } from "../measure/take-turns.js";
import { COLD_WORKS, WORKS } from "./cold-works.js";

const count = z.coerce.number().int();
const [id, work, nth, calls, pauseMs, url] = z
  .tuple([z.enum(["ours", "official"]), z.enum(COLD_WORKS), count, count, count, z.string()])
  .parse(process.argv.slice(2));

const { next, end } = WORKS[work].begin(id, url, nth);
const times: number[] = [];
for (let call = 0; call < calls; call++) {
  if (pauseMs > 0) await sleep(pauseMs);
  times.push(await timed(next()));
}
await end();
process.send?.(times);
process.disconnect();
