import { newThread, putValues, threadConfig } from "../../tests/support/checkpoints.js";
import { channels } from "./sample-data.js";
import type { TimedCase, TimedScenario } from "./scenario.js";

/** Storing a checkpoint whose channels are all new, as the successor of the last of its thread. */
export const put: TimedScenario = {
  cases: ({ quick }) => [1, 5, 20].map((count) => putCase(count, quick ? 5 : 200)),
};

function putCase(count: number, rounds: number): TimedCase {
  return {
    name: `put, ${count} channel${count === 1 ? "" : "s"} × 2 kB`,
    rounds,
    prepare: async (saver) => {
      const values = channels(count);
      let last = await putValues(saver, threadConfig(newThread()), values);
      return async (timed) => {
        last = await putValues(timed, last.config, values, last.checkpoint);
      };
    },
  };
}
