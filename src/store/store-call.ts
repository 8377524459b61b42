import type { CallContext } from "../db/call-context.js";
import { observeCall, observedOperations, observeRefusal } from "../db/observe-call.js";
import type { Sealing } from "./model/sealing.js";
import type { VectorSettings } from "./embeddings/vector-settings.js";
import type { NamespaceRules } from "./namespace-rules.js";

/** What the calls of one store share. */
export interface StoreSettings {
  /** The tables that the store uses. With a tenant, each of them must separate tenants. */
  readonly tables: readonly string[];
  /** The labels that every namespace of a caller is below. Empty except in a scoped store. */
  readonly root: readonly string[];
  readonly rules: NamespaceRules;
  /** How long an item lives that is put without a TTL, in minutes. `null`: for ever. */
  readonly defaultTtl: number | null;
  /** Whether reading an item starts its time again. */
  readonly refreshesOnRead: boolean;
  readonly textSearchLanguage: string;
  /** How values are encrypted or compressed. `undefined` for JSON that SQL and other programs read. */
  readonly sealing: Sealing | undefined;
  /** The channel that announces changes. `undefined` for a store that announces none. */
  readonly channel: string | undefined;
  /** How texts are embedded. `undefined`: they are not. */
  readonly vectors: VectorSettings | undefined;
}

/** The context of one call of a store. */
export interface StoreCall extends CallContext {
  readonly settings: StoreSettings;
}

/** The operations of a store; see `observedOperations`. */
const OPERATIONS = {
  "store.setup": "store_kysely_migration",
  "store.batch": "store",
  "store.get": "store only",
  "store.put": "store",
  "store.delete": "store",
  "store.search": "store",
  "store.listNamespaces": "store only",
  "store.count": "store only",
  "store.update": "store",
  "store.deleteNamespace": "store",
  "store.sweep": "store",
  "store.watch": "store",
  "store.health": "pg_class",
  "store.exportItems": "store only",
  "store.importItems": "store",
  "store.reembed": "store",
} as const;

/** The name of an operation, as spans, metrics and logs show it. */
export type StoreOperationName = keyof typeof OPERATIONS;

const OBSERVED = /* @__PURE__ */ observedOperations(OPERATIONS);

/** Checks the arguments of a call that is observed in parts, or not at all. A refusal counts as a failed call. */
export function countingStoreRefusal<T>(call: StoreCall, name: StoreOperationName, check: () => T): T {
  return observeRefusal(call, OBSERVED[name], check);
}

/** Runs one call of a store. It is observed where telemetry is active. */
export function runStoreCall<T>(
  base: StoreCall,
  name: StoreOperationName,
  work: (call: StoreCall) => Promise<T>,
): Promise<T> {
  return observeCall(base, OBSERVED[name], work);
}
