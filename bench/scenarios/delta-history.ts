import type { RunnableConfig } from "@langchain/core/runnables";
import { type Checkpoint, DeltaSnapshot } from "@langchain/langgraph-checkpoint";
import {
  allVersions,
  checkpointOf,
  metadataOf,
  newThread,
  nextId,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import type { Saver } from "../subjects.js";
import { record } from "./sample-data.js";
import type { TimedScenario } from "./scenario.js";

const CHANNEL = "log";

/** Rebuilding a delta channel whose last snapshot is long ago. The official saver inherits LangGraph's walk. */
export const deltaHistory: TimedScenario = {
  cases: ({ quick }) => {
    const steps = quick ? 30 : 1_000;
    return [
      {
        name: `getDeltaChannelHistory, ${steps} steps`,
        rounds: quick ? 2 : 10,
        prepare: async (saver) => {
          const config = await storeSteps(saver, steps);
          return (timed) => async () => {
            const { [CHANNEL]: history } = await timed.getDeltaChannelHistory({
              config,
              channels: [CHANNEL],
            });
            // The target's own writes are not part of its history.
            if (history?.writes.length !== steps - 1) throw new Error("writes are missing");
          };
        },
      },
    ];
  },
};

async function storeSteps(saver: Saver, steps: number): Promise<RunnableConfig> {
  const snapshot = new DeltaSnapshot([record(200)]);
  let last = await putValues(saver, threadConfig(newThread()), { [CHANNEL]: snapshot });
  for (let step = 1; step <= steps; step++) last = await storeStep(saver, last, step);
  return last.config;
}

async function storeStep(
  saver: Saver,
  last: { config: RunnableConfig; checkpoint: Checkpoint },
  step: number,
): Promise<{ config: RunnableConfig; checkpoint: Checkpoint }> {
  const checkpoint = checkpointOf(saver, { [CHANNEL]: undefined }, last.checkpoint);
  const versions = allVersions(checkpoint);
  // A new version without a value: only the writes contain what the step wrote.
  checkpoint.channel_values = {};
  const config = await saver.put(last.config, checkpoint, metadataOf(step), versions);
  await saver.putWrites(config, [[CHANNEL, record(200, step)]], nextId());
  return { config, checkpoint };
}
