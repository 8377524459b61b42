import {
  allVersions,
  checkpointOf,
  metadataOf,
  newThread,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import type { TimedCase, TimedScenario } from "./scenario.js";
import { type State, statesOfEqualChannels, statesOfEqualSize } from "./states.js";

/** Storing a checkpoint whose channels are all new, as the successor of the last one of its thread. */
export const put: TimedScenario = {
  cases: (size) => [...statesOfEqualChannels([1, 5, 20], size), ...statesOfEqualSize(size)].map(putCase),
};

/** The case of a state of the size that most services have. */
export const plainPut: TimedScenario = {
  cases: (size) => statesOfEqualChannels([5], size).map(putCase),
};

function putCase({ label, values, rounds, detail }: State): TimedCase {
  return {
    name: `put, ${label}`,
    rounds,
    detail,
    floor: true,
    prepare: async (saver) => {
      let last = await putValues(saver, threadConfig(newThread()), values);
      return (timed) => {
        const checkpoint = checkpointOf(timed, values, last.checkpoint);
        const [metadata, versions] = [metadataOf(), allVersions(checkpoint)];
        return async () => {
          last = { checkpoint, config: await timed.put(last.config, checkpoint, metadata, versions) };
        };
      };
    },
  };
}
