import { describeError } from "../../telemetry/describe-error.js";
import { defineInstruments } from "../../telemetry/instruments.js";
import type { Telemetry } from "../../telemetry/telemetry.js";
import type { ReplicaFault, ReplicaState } from "./replica-state.js";

const staleReads = /* @__PURE__ */ defineInstruments((meter) =>
  meter.createCounter("langgraph.checkpoint.stale_reads", {
    description: "Statements that may read a replica, by whether they did, or why they went to the primary.",
    unit: "{statement}",
  }),
);

/** Counts a statement that may read a replica, by where it went: `replica`, or the reason why it went to the primary. */
export function countStaleRead(outcome: "replica" | "conflict" | ReplicaFault): void {
  staleReads()?.add(1, { "langgraph.checkpoint.outcome": outcome });
}

/** Reports that reads go to the primary from now on. */
export function reportReplicaLeft(telemetry: Telemetry, { fault, lagMs, error }: ReplicaState): void {
  telemetry.report("warn", "the replica is left aside", {
    error,
    fields: {
      fault,
      ...lagFields(lagMs),
      ...(error !== undefined && { error: describeError(error).message }),
    },
  });
}

/** Reports that reads go to the replica again. */
export function reportReplicaReturned(telemetry: Telemetry, { lagMs }: ReplicaState): void {
  telemetry.report("info", "the replica is used again", { fields: lagFields(lagMs) });
}

function lagFields(lagMs: number | undefined): { readonly lagMs?: number } {
  return lagMs === undefined ? {} : { lagMs: Math.round(lagMs) };
}
