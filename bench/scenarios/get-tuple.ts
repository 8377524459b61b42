import { newThread, putValues, threadConfig } from "../../tests/support/checkpoints.js";
import { channels, conversation } from "./sample-data.js";
import type { TimedCase, TimedScenario } from "./scenario.js";

/** Reading the newest checkpoint of a thread, as every run of a graph begins. */
export const getTuple: TimedScenario = {
  cases: ({ quick }) => [
    ...[1, 5, 20].map((count) =>
      getTupleCase(`${count} channel${count === 1 ? "" : "s"} × 2 kB`, quick ? 5 : 200, channels(count)),
    ),
    getTupleCase("250 messages × 1 kB", quick ? 2 : 60, { messages: conversation(250) }),
  ],
};

function getTupleCase(what: string, rounds: number, values: Record<string, unknown>): TimedCase {
  return {
    name: `getTuple, ${what}`,
    rounds,
    prepare: async (saver) => {
      const thread = threadConfig(newThread());
      const previous = await putValues(saver, thread, values);
      await putValues(saver, previous.config, values, previous.checkpoint);
      return (timed) => timed.getTuple(thread);
    },
  };
}
