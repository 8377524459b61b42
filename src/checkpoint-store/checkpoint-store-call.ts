import { type ObservableCall, runCall } from "../db/run-call.js";
import { throwIfAborted } from "../db/statements/cancellation.js";
import { operationsOf } from "../telemetry/observed-operation.js";
import type { Telemetry } from "../telemetry/telemetry.js";
import type { BackendCall } from "./model/backend.js";

/** The operations of a checkpoint store. */
export const storeOperations = /* @__PURE__ */ operationsOf({
  "checkpointStore.setup": { table: "checkpoints", isOnlyTable: true },
  "checkpointStore.save": { table: "checkpoints", isOnlyTable: true },
  "checkpointStore.saveMany": { table: "checkpoints", isOnlyTable: true },
  "checkpointStore.load": { table: "checkpoints", isOnlyTable: true },
  "checkpointStore.list": { table: "checkpoints", isOnlyTable: true },
  "checkpointStore.latest": { table: "checkpoints", isOnlyTable: true },
  "checkpointStore.delete": { table: "checkpoints", isOnlyTable: true },
  "checkpointStore.clear": { table: "checkpoints", isOnlyTable: true },
  "checkpointStore.verify": { table: "checkpoints", isOnlyTable: true },
  "checkpointStore.health": { table: "checkpoints", isOnlyTable: true },
});

/** The name of an operation, as spans, metrics and logs show it. */
export type StoreOperationName = keyof typeof storeOperations;

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
  const base: ObservableCall = { telemetry };
  return runCall(base, storeOperations[name], async ({ observer }) => {
    const { signal, work } = prepare();
    throwIfAborted(signal);
    return work({ signal, observer });
  });
}
