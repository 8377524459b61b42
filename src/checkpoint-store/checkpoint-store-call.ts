import { observedOperations } from "../db/observe-call.js";
import { throwIfAborted } from "../db/statements/bounded-run.js";
import type { Telemetry } from "../telemetry/telemetry.js";
import type { BackendCall } from "./model/backend.js";

/** The operations of a checkpoint store; see `observedOperations`. */
const OPERATIONS = /* @__PURE__ */ observedOperations({
  "checkpointStore.setup": "checkpoints only",
  "checkpointStore.save": "checkpoints only",
  "checkpointStore.load": "checkpoints only",
  "checkpointStore.list": "checkpoints only",
  "checkpointStore.latest": "checkpoints only",
  "checkpointStore.delete": "checkpoints only",
  "checkpointStore.clear": "checkpoints only",
});

/** The name of an operation, as spans, metrics and logs show it. */
export type StoreOperationName = keyof typeof OPERATIONS;

/** A call whose arguments have been parsed. */
export interface PreparedCall<T> {
  readonly signal: AbortSignal | undefined;
  readonly work: (call: BackendCall) => Promise<T>;
}

/**
 * Runs one call of a checkpoint store. It is observed where telemetry is active.
 *
 * @param prepare - Parses the arguments. It is called at once.
 */
export function runStoreCall<T>(
  telemetry: Telemetry,
  name: StoreOperationName,
  prepare: () => PreparedCall<T>,
): Promise<T> {
  return telemetry.observe(OPERATIONS[name], async (observer) => {
    const { signal, work } = prepare();
    throwIfAborted(signal);
    return work({ signal, observer });
  });
}
