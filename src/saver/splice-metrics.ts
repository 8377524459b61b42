import type { MemoryListener } from "../splices/value-memory.js";
import { defineInstruments } from "../telemetry/instruments.js";

const spliceInstruments = /* @__PURE__ */ defineInstruments((meter) => ({
  lookups: meter.createCounter("langgraph.checkpoint.splice.lookups", {
    description: "Long values that were stored, by whether the value before was remembered.",
    unit: "{value}",
  }),
  memory: meter.createUpDownCounter("langgraph.checkpoint.splice.memory", {
    description: "Bytes of values that are remembered to store the next ones as splices.",
    unit: "By",
  }),
}));

/** Counts how the memory of a saver with splices is used. */
export const spliceMetrics: MemoryListener = {
  onLookup: (isHit) => {
    spliceInstruments()?.lookups.add(1, { "langgraph.checkpoint.outcome": isHit ? "hit" : "miss" });
  },
  onResize: (bytes) => {
    spliceInstruments()?.memory.add(bytes);
  },
};
