import { setImmediate } from "node:timers/promises";
import { inTurn } from "../../db/async/in-turn.js";
import { throwIfAborted } from "../../db/statements/cancellation.js";

/** How long all long work together keeps the event loop busy at a time, in milliseconds. */
const TURN_MS = 10;

/** The turns of the event loop. Each is for one of those who wait: else many searches at once would make one long turn. */
const TURNS = {};
/** When the current turn began. */
let beganAt = 0;

/**
 * Lets other work run if this turn of the event loop has been long. Whatever takes long calls it between short steps.
 *
 * @throws AbortError when the signal has aborted meanwhile.
 */
export async function letOthersRun(signal: AbortSignal): Promise<void> {
  if (Math.abs(performance.now() - beganAt) < TURN_MS) return;
  await inTurn(TURNS, () => setImmediate());
  throwIfAborted(signal);
  beganAt = performance.now();
}
