import { newThread, nextId, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { DEFAULT_CONNECTIONS } from "../open-pool.js";
import type { Saver } from "../subjects.js";
import { channels } from "./sample-data.js";
import type { LoadCase, LoadScenario, TimedOperation } from "./scenario.js";

/** The number of steps of all threads in a slice, and less for few threads. */
const STEPS = 512;

const THREADS = { quick: [4], full: [1, 16, 64, 256] };

/** The default comes first. */
const CONNECTIONS = [DEFAULT_CONNECTIONS, 4, 1];

/**
 * Concurrent threads, as in a service. Each stores what a task wrote to three channels, and then the checkpoint in
 * which these three of five channels have changed.
 */
export const concurrentThreads: LoadScenario = {
  cases: ({ quick }) =>
    CONNECTIONS.flatMap((connections) =>
      THREADS[quick ? "quick" : "full"].map((threads): LoadCase => ({
        name: nameOf(threads, connections),
        threads,
        connections,
        steps: quick ? 1 : Math.min(100, STEPS / threads),
        // A multiple of the orders in which three savers take turns, since a saver inherits the garbage of the one before it.
        slices: quick ? 1 : 12,
        begin,
      })),
    ),
};

function nameOf(threads: number, connections: number): string {
  const pool = connections === DEFAULT_CONNECTIONS ? "" : `, a pool of ${connections}`;
  return `super-steps, ${threads} thread${threads === 1 ? "" : "s"} at once${pool}`;
}

async function begin(saver: Saver): Promise<TimedOperation> {
  let last = await putValues(saver, threadConfig(newThread()), channels(5));
  const changed = channels(3);
  return (loaded) => async () => {
    await loaded.putWrites(last.config, Object.entries(changed), nextId());
    last = await putValues(loaded, last.config, changed, last.checkpoint);
  };
}
