import { setTimeout } from "node:timers/promises";
import type { CheckpointSaver } from "../../src/index.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { CHROMIUM, launchChromium } from "../../test-support/chromium.js";
import { timed } from "../measure/take-turns.js";
import { type Summary, summarize } from "../measure/statistics.js";

const THREAD = "thread of a run";
const ROUNDS = { quick: 3, full: 40 };
/** Steps of agents take longer than the page needs to show one. */
const PAUSE_MS = 400;

/**
 * Measures how long it takes until a step is in the page of its thread, from the moment when `put` has returned. Without Chromium there is
 * no result.
 *
 * @param saver - Another saver than the inspector's, with `notify`.
 */
export async function measureLiveSteps(
  url: string,
  saver: CheckpointSaver,
  { quick }: { readonly quick: boolean },
): Promise<Summary | undefined> {
  if (CHROMIUM === undefined) return undefined;
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    const shown = (id: string) => page.locator(`[data-checkpoint="${id}"]`).first().waitFor();
    let last = await putValues(saver, threadConfig(THREAD, { checkpoint_ns: "" }), { log: ["0"] });
    await page.goto(`${url}#/thread/${encodeURIComponent(THREAD)}`);
    await shown(last.checkpoint.id);
    const times: number[] = [];
    for (let step = 1; step <= (quick ? ROUNDS.quick : ROUNDS.full); step++) {
      await setTimeout(PAUSE_MS);
      const { config, checkpoint } = last;
      last = await putValues(saver, config, { log: [String(step)] }, checkpoint);
      const { id } = last.checkpoint;
      times.push(await timed(() => shown(id)));
    }
    return summarize(times);
  } finally {
    await browser.close();
  }
}
