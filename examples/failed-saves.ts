import { CheckpointError } from "../src/index.js";

/**
 * Keeps the process alive when a save fails while nodes of its run are still running. LangGraph.js before 1.5.0 looks at
 * a save only when the run ends, and Node.js ends a process that leaves a rejection unhandled until then. Nothing is
 * lost by logging it here: the run fails with the same error. All other rejections end the process, as they do by default.
 *
 * @param log - Gets the error of each save that failed too early, which names the thread, and the checkpoint where one is known.
 *
 * @example
 * ```ts
 * logFailedSaves((error) => console.error(error));
 * ```
 */
export function logFailedSaves(log: (error: CheckpointError) => void): void {
  process.on("unhandledRejection", (reason) => {
    if (!(reason instanceof CheckpointError)) throw reason;
    log(reason);
  });
}
