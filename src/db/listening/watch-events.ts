import type { Telemetry } from "../../telemetry/telemetry.js";

// The watches of a process share a connection, and are told the same error.
const reported = /* @__PURE__ */ new WeakMap<Error, WeakSet<Telemetry>>();

/** Reports that watches receive no notifications for now. Once for each loss, however many watches of a saver it affects. */
export function reportWatchLost(telemetry: Telemetry | undefined, failure: Error, threadId?: string): void {
  if (telemetry === undefined) return;
  const reporters = reported.get(failure) ?? new WeakSet();
  if (reporters.has(telemetry)) return;
  reported.set(failure, reporters.add(telemetry));
  telemetry.report("warn", "watches lost their connection, reconnecting", { error: failure, threadId });
}

/** Reports that a watch has resumed. */
export function reportWatchResumed(telemetry: Telemetry | undefined, threadId?: string): void {
  telemetry?.report("info", "watch resumed", { threadId });
}
