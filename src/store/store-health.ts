import { checkHealth } from "../health/check-health.js";
import type { Health } from "../health/health.js";
import { optionalSets } from "../migrations/sets.js";
import { type StoreCall, storeOperations } from "./store-call.js";

/** Every put needs them. Deleting items needs more. */
const RIGHTS = ["select", "insert", "update"];

/** Checks whether items can be stored now. It never rejects. */
export function storeHealth(call: StoreCall, options: unknown): Promise<Health> {
  const { tables, vectors: embeddings } = call.settings;
  const { store, vectors } = optionalSets();
  const sets = embeddings === undefined ? [store] : [store, vectors];
  const privileges = tables.flatMap((table) => RIGHTS.map((right) => `${right} on ${table}`));
  const operation = storeOperations["store.health"];
  return checkHealth(call, { operation, stored: "items", sets, tables, privileges }, options);
}
