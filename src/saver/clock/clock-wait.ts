import { defineInstruments, DURATION_BOUNDS } from "../../telemetry/instruments.js";
import type { ObservedCall } from "../../telemetry/observed-call.js";

/** Clocks that NTP synchronizes differ by less. */
const LOGGED_WAIT_MS = 100;

const clockWait = /* @__PURE__ */ defineInstruments((meter) =>
  meter.createHistogram("langgraph.checkpoint.clock_wait", {
    description: "Waits until this machine's clock had passed the newest checkpoint.",
    unit: "s",
    advice: { explicitBucketBoundaries: DURATION_BOUNDS },
  }),
);

/** Reports a wait until this machine's clock had passed the time of a checkpoint. */
export function reportClockWait(observer: ObservedCall, checkpointId: string, waitedMs: number): void {
  observer.record(clockWait(), waitedMs / 1_000);
  observer.addEvent("clock wait", { "langgraph.checkpoint.delay": waitedMs / 1_000 });
  if (waitedMs < LOGGED_WAIT_MS) return;
  observer.warn("the clock of this machine is behind, waited for it", {
    checkpointId,
    waitedMs: Math.round(waitedMs),
  });
}
