import type { RunnableConfig } from "@langchain/core/runnables";
import { newThread, putValues, threadConfig } from "../../tests/support/checkpoints.js";
import type { Saver } from "../subjects.js";
import { document } from "./sample-data.js";
import type { TimedCase, TimedScenario } from "./scenario.js";

/** Walking back through a long thread, each of whose checkpoints shows the same large value. */
export const list: TimedScenario = {
  cases: ({ quick }) => {
    const length = quick ? 10 : 400;
    const rounds = quick ? 1 : 5;
    const wanted = quick ? 5 : 100;
    return [
      listCase(length, rounds, 1),
      listCase(length, rounds, wanted),
      listCase(length, rounds, wanted, { limit: wanted }),
    ];
  },
};

function listCase(length: number, rounds: number, wanted: number, options?: { limit: number }): TimedCase {
  const named = options === undefined ? "no limit" : `limit ${options.limit}`;
  return {
    name: `list, first ${wanted} of ${length} sharing 200 kB (${named})`,
    rounds,
    prepare: async (saver) => {
      const thread = threadConfig(newThread());
      await storeThread(saver, thread, length);
      return async (timed) => {
        let seen = 0;
        for await (const { checkpoint } of timed.list(thread, options)) {
          if (checkpoint.channel_values.document === undefined)
            throw new Error("the shared value is missing");
          if (++seen === wanted) return;
        }
        throw new Error(`${seen} checkpoints instead of ${wanted}`);
      };
    },
  };
}

async function storeThread(saver: Saver, thread: RunnableConfig, length: number): Promise<void> {
  let last = await putValues(saver, thread, { document: document(200), step: { n: 0 } });
  for (let n = 1; n < length; n++) {
    last = await putValues(saver, last.config, { step: { n } }, last.checkpoint);
  }
}
