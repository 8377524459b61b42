import { RESUME_MS } from "../run/chaos-options.js";
import type { ChaosRun } from "../run/run-chaos.js";

/**
 * All that must not be, one line each: an empty list is a run that has kept every promise.
 *
 * @param resumeMs - within which all threads must have gone on
 */
export function failuresOf(run: ChaosRun, resumeMs = RESUME_MS): string[] {
  return [
    ...run.exits.map((exit) => `the process ended by itself: ${exit}`),
    ...run.entries.flatMap((entry) => {
      if (entry.type === "violation") return [`a read was wrong: operation ${entry.op}: ${entry.text}`];
      const isUnhandled = entry.type === "process" && entry.event === "unhandledRejection";
      return isUnhandled ? [`unhandled rejection: ${entry.detail}`] : [];
    }),
    ...run.incidents.flatMap(({ fault, resumption }) => {
      if (resumption === undefined) return [`not resumed at all after: ${fault}`];
      if (resumption.allMs <= resumeMs) return [];
      return [`resumed only after ${Math.round(resumption.allMs)} ms: ${fault}`];
    }),
    ...(run.hasStopped ? [] : ["calls had no end when the load was told to stop"]),
    ...run.findings.map(({ kind, thread, text }) => `${kind}: thread ${thread}: ${text}`),
  ];
}
