import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { conversation } from "./sample-data.js";
import type { Size, TimedCase, TimedScenario } from "./scenario.js";
import { type State, statesOfEqualChannels, statesOfEqualSize } from "./states.js";

/** Reading the newest checkpoint of a thread, the start of every run of a graph. */
export const getTuple: TimedScenario = {
  cases: (size) =>
    [...statesOfEqualChannels([1, 5, 20], size), longConversation(size), ...statesOfEqualSize(size)].map(
      getTupleCase,
    ),
};

/** The case for pgbench, and for a server with JIT: reading a state of the size that most services have. */
export const plainGetTuple: TimedScenario = {
  cases: (size) => statesOfEqualChannels([5], size).map(getTupleCase),
};

function longConversation({ quick }: Size): State {
  const messages = quick ? 10 : 250;
  return {
    label: `${messages} messages × 1 kB`,
    values: { messages: conversation(messages) },
    rounds: quick ? 2 : 60,
    detail: false,
  };
}

function getTupleCase({ label, values, rounds, detail }: State): TimedCase {
  return {
    name: `getTuple, ${label}`,
    rounds,
    detail,
    floor: true,
    prepare: async (saver) => {
      const thread = threadConfig(newThread());
      const previous = await putValues(saver, thread, values);
      await putValues(saver, previous.config, values, previous.checkpoint);
      return (timed) => () => timed.getTuple(thread);
    },
  };
}
