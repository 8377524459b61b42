import { CheckpointError } from "../src/index.js";

/**
 * Keeps the process alive when a save fails while nodes of its run are still running. LangGraph.js before 1.5.0 handles the promise
 * of a save only when the run ends, and Node.js ends a process with an unhandled rejection before that. Logging loses nothing: the
 * run fails with the same error. All other rejections end the process, as they do by default.
 *
 * @param log - Receives the error of each such save. The error names the thread, and the checkpoint where known.
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
