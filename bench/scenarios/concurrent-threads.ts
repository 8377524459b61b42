import { newThread, nextId, putValues, threadConfig } from "../../test-support/checkpoints.js";
import type { Saver } from "../subjects.js";
import { channels } from "./sample-data.js";
import type { LoadScenario, TimedOperation } from "./scenario.js";

/** The number of steps of all threads in a slice, and less for few threads. */
const STEPS = 384;

/**
 * Concurrent threads, as in a service. Each stores what a task wrote to three channels, and then the checkpoint in
 * which these three of five channels have changed.
 */
export const concurrentThreads: LoadScenario = {
  cases: ({ quick }) =>
    [1, 16, 64].map((threads) => ({
      name: `super-steps, ${threads} thread${threads === 1 ? "" : "s"} at once`,
      threads,
      steps: quick ? 1 : Math.min(100, STEPS / threads),
      slices: quick ? 1 : 10,
      begin,
    })),
};

async function begin(saver: Saver): Promise<TimedOperation> {
  let last = await putValues(saver, threadConfig(newThread()), channels(5));
  const changed = channels(3);
  return (loaded) => async () => {
    await loaded.putWrites(last.config, Object.entries(changed), nextId());
    last = await putValues(loaded, last.config, changed, last.checkpoint);
  };
}
