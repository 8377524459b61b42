import type { CallContext } from "../db/call-context.js";
import { operationsOf } from "../telemetry/observed-operation.js";
import type { ItemGroups } from "./item-groups.js";
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
  /** Whether reads take namespaces and keys that no put takes, as other programs may have stored them. */
  readonly readsAnyPlace?: boolean;
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
  /** The groups in which the store's calls are sent. Absent where each call is sent by itself. */
  readonly groups?: ItemGroups | undefined;
  /** Resolves when the tables are there. Absent where they are there already. */
  readonly ready?: Promise<void> | undefined;
}

/** Returns the context for a part of a call that has its turn. */
export function inItsTurn(call: StoreCall): StoreCall {
  return { ...call, groups: { ...call.groups, writes: undefined } };
}

/** The operations of a store. */
export const storeOperations = /* @__PURE__ */ operationsOf({
  "store.setup": { table: "store_kysely_migration" },
  "store.batch": { table: "store" },
  "store.get": { table: "store", isOnlyTable: true },
  "store.put": { table: "store" },
  "store.delete": { table: "store" },
  "store.search": { table: "store" },
  "store.listNamespaces": { table: "store", isOnlyTable: true },
  "store.count": { table: "store", isOnlyTable: true },
  "store.update": { table: "store" },
  "store.deleteNamespace": { table: "store" },
  "store.sweep": { table: "store", mayTakeAnyTime: true },
  "store.watch": { table: "store" },
  "store.health": { table: "pg_class" },
  "store.exportItems": { table: "store", isOnlyTable: true },
  "store.importItems": { table: "store" },
  "store.reembed": { table: "store" },
});
