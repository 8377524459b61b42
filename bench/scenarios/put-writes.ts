import { newThread, nextId, putValues, threadConfig } from "../../test-support/checkpoints.js";
import type { TimedCase, TimedScenario } from "./scenario.js";
import { type State, statesOfEqualChannels, statesOfEqualSize } from "./states.js";

/** Storing the writes of a task, one to each channel, each time of another task. */
export const putWrites: TimedScenario = {
  cases: (size) =>
    [...statesOfEqualChannels([1, 5, 20], size), ...statesOfEqualSize(size)].map(putWritesCase),
};

function putWritesCase({ label, values, rounds, detail }: State): TimedCase {
  return {
    name: `putWrites, ${label.replace("channel", "write")}`,
    rounds,
    detail,
    floor: true,
    prepare: async (saver) => {
      const { config } = await putValues(saver, threadConfig(newThread()), values);
      return (timed) => {
        const [writes, taskId] = [Object.entries(values), nextId()];
        return () => timed.putWrites(config, writes, taskId);
      };
    },
  };
}
