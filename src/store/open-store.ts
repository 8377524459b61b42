import type { MigrationSet } from "../migrations/migration-set.js";
import { parse } from "../parsing/parse.js";
import { openCall } from "../db/open-call.js";
import type { StoreDatabase } from "../db/checkpoint-database.js";
import type { DatabaseSource } from "../db/opened-database.js";
import { Preparation } from "../db/preparation.js";
import { sweepRounds } from "../db/scheduling/sweep-rounds.js";
import { openItemGroups } from "./open-item-groups.js";
import { itemStoreOptions, type StoreOptions } from "./boundary/parse-options.js";
import { NamespaceRules, itemOperations, type StoreCall, type StoreSettings } from "./store-call.js";
import { changeChannel } from "./watch-items.js";
import { checkedSerializer } from "../serde/serializer-layer.js";
import { optionalSets } from "../migrations/sets.js";
import { setUpSets } from "../migrations/set-up-sets.js";
import { runCall } from "../db/run-call.js";
import { checkHealth } from "../health/check-health.js";
import type { Health } from "../health/health.js";
import type { OnDeleted } from "../db/scheduling/gentle-round.js";
import { sweepExpired } from "../db/scheduling/sweep-expired.js";

/** The tables of a store, with and without embeddings. */
const TABLES = { items: ["store"], embedded: ["store", "store_vectors"] };

/** What the methods of a store work with. */
export interface OpenedStore {
  /** The context that each call of the store starts from. */
  readonly call: StoreCall;
  /** What happens before the first call, and beside all of them. */
  readonly preparation: Preparation;
  /** Aborts when the store is closed. */
  readonly ended: AbortController;
}

/**
 * Checks the arguments of a store's constructor. It sends nothing.
 *
 * @throws InvalidConfigError for an invalid source or option.
 */
export function openStore(source: DatabaseSource<StoreDatabase>, options: unknown): OpenedStore {
  const parsed = parse(itemStoreOptions, options, "options");
  const settings = settingsOf(parsed);
  const optionalTables = settings.vectors === undefined ? ["store"] : ["store", "vectors"];
  const base = { ...openCall(source, parsed, settings.tables), optionalTables, settings };
  const call = { ...base, groups: openItemGroups(base) };
  const preparation = new Preparation({
    ensuresTables: parsed.ensureTables,
    setUp: (plan) => runCall({ ...call, ...plan }, itemOperations["store.setup"], setUp),
    sweeps: sweepRounds<StoreCall>({
      call,
      operation: itemOperations["store.sweep"],
      // A store without the option leaves the items of other stores alone, and needs no privilege to delete.
      everyMinutes: parsed.ttl?.sweepIntervalMinutes ?? false,
      sweep: sweepItems,
    }),
  });
  return { call, preparation, ended: new AbortController() };
}

function settingsOf(options: StoreOptions): StoreSettings {
  const { namespaces, ttl, textSearchLanguage, notify, schema, tenantId, serde, visibleKeys, index } =
    options;
  return {
    tables: index === undefined ? TABLES.items : TABLES.embedded,
    root: [],
    rules: new NamespaceRules(namespaces),
    defaultTtl: ttl?.defaultTtl ?? null,
    // Without the option, a read of an item with a TTL, of another store, leaves it as it is, and needs no privilege to write.
    refreshesOnRead: ttl?.refreshOnRead ?? false,
    textSearchLanguage,
    // Anything else than a serializer or undefined is a mistake, by which values would be stored as plain text.
    sealing:
      serde === undefined
        ? undefined
        : { serde: checkedSerializer(serde), visibleKeys: new Set(visibleKeys) },
    channel: notify ? changeChannel(schema, tenantId) : undefined,
    vectors: index,
  };
}

/** Migrates the tables of the store to the newest version; see `PostgresStore.setup`. */
function setUp(call: StoreCall): Promise<void> {
  return setUpSets(call, setsOf(call));
}

function setsOf({ settings }: StoreCall): MigrationSet[] {
  const { store, vectors } = optionalSets({ vectors: settings.vectors?.layout });
  return settings.vectors === undefined ? [store] : [store, vectors];
}

/** Every put needs them. Deleting items needs more. */
const RIGHTS = ["select", "insert", "update"];

/** Checks whether items can be stored now. It never rejects. */
export function storeHealth(call: StoreCall, options: unknown): Promise<Health> {
  const { tables } = call.settings;
  const privileges = tables.flatMap((table) => RIGHTS.map((right) => `${right} on ${table}`));
  const operation = itemOperations["store.health"];
  return checkHealth(call, { operation, stored: "items", sets: setsOf(call), tables, privileges }, options);
}

/** Deletes all items that have expired, in bounded transactions. Returns their number. */
export function sweepItems(call: StoreCall, onDeleted?: OnDeleted): Promise<number> {
  const lock = `langgraph-checkpoint-kysely sweep ${call.schema}`;
  return sweepExpired(call, { table: "store", scope: "prefix" }, lock, onDeleted);
}
