import { newThread, nextId, putValues, threadConfig } from "../../tests/support/checkpoints.js";
import { channels } from "./sample-data.js";
import type { TimedScenario } from "./scenario.js";

/** Storing what a task wrote to five channels, each time another task. */
export const putWrites: TimedScenario = {
  cases: ({ quick }) => [
    {
      name: "putWrites, 5 writes × 2 kB",
      rounds: quick ? 5 : 200,
      prepare: async (saver) => {
        const values = channels(5);
        const { config } = await putValues(saver, threadConfig(newThread()), values);
        return (timed) => timed.putWrites(config, Object.entries(values), nextId());
      },
    },
  ],
};
