import type { StoreOperation } from "./operations.js";
import { findItems, readItem } from "./read-item.js";
import { runBatch } from "./run-batch.js";
import type { StoreCall } from "./store-call.js";
import { writeItem } from "./write-item.js";

/** Runs the operation of a call. */
export async function runOne(call: StoreCall, operation: StoreOperation): Promise<unknown> {
  if (operation.kind === "get") return readItem(call, operation);
  if (operation.kind === "search" && operation.vector === undefined) return findItems(call, operation);
  const isUnconditional =
    operation.kind === "delete" || (operation.kind === "put" && operation.expectedVersion === undefined);
  if (isUnconditional) return writeItem(call, operation);
  const [result] = await runBatch(call, [operation]);
  return result;
}
