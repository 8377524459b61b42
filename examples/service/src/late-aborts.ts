import { log } from "./log.js";

/**
 * Keeps the process alive when a run is ended by its signal. LangGraph.js, at least up to 1.7.3, waits for the signal in each step, and
 * forgets that promise in a step without a task to run: all were cached, or were stored before a crash. When the signal aborts later, nobody
 * handles the rejection, and Node.js ends a process for that. The run itself fails as it should.
 */
export function surviveLateAborts(): void {
  process.on("unhandledRejection", (reason) => {
    if (!(reason instanceof Error && reason.message === "Abort")) throw reason;
    log.warn("LangGraph.js forgot to handle an abort");
  });
}
