import { describeError } from "../telemetry/describe-error.js";
import { defineInstruments } from "../telemetry/instruments.js";
import type { Telemetry } from "../telemetry/telemetry.js";

const cacheEntries = /* @__PURE__ */ defineInstruments((meter) =>
  meter.createCounter("langgraph.checkpoint.cache.entries", {
    description: "Entries of caches that were looked up or stored, by what has become of them.",
    unit: "{entry}",
  }),
);

/** Counts entries by what has become of them. */
export function countCacheEntries(outcome: string, entries: number): void {
  cacheEntries()?.add(entries, { "langgraph.checkpoint.outcome": outcome });
}

/** Reports an entry that could not be used, which fails no call. */
export function reportUnusedEntry(telemetry: Telemetry, message: string, error: unknown): void {
  telemetry.report("warn", message, { error, fields: { error: describeError(error).message } });
}
