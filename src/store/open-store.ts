import { openCall } from "../db/open-call.js";
import type { StoreDatabase } from "../db/checkpoint-database.js";
import type { DatabaseSource } from "../db/opened-database.js";
import { Preparation } from "../db/preparation.js";
import { sweepRounds } from "../db/scheduling/sweep-rounds.js";
import { openItemGroups } from "./open-item-groups.js";
import { parseStoreOptions, type StoreOptions } from "./boundary/parse-store-options.js";
import { NamespaceRules } from "./namespace-rules.js";
import { changeChannel } from "./watch/notifications.js";
import { checkedSerializer } from "../serde/layers/checked-serializer.js";
import { storeOperations, type StoreCall, type StoreSettings } from "./store-call.js";
import { sweepItems } from "./sweep-items.js";
import { optionalSets } from "../migrations/sets.js";
import { setUpSets } from "../migrations/set-up-sets.js";
import { runCall } from "../db/run-call.js";

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
  const parsed = parseStoreOptions(options);
  const settings = settingsOf(parsed);
  const optionalTables = settings.vectors === undefined ? ["store"] : ["store", "vectors"];
  const base = { ...openCall(source, parsed, settings.tables), optionalTables, settings };
  const call = { ...base, groups: openItemGroups(base) };
  const preparation = new Preparation({
    ensuresTables: parsed.ensureTables,
    setUp: (plan) => runCall({ ...call, ...plan }, storeOperations["store.setup"], setUp),
    sweeps: sweepRounds<StoreCall>({
      call,
      operation: storeOperations["store.sweep"],
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
  const { vectors: embeddings } = call.settings;
  const { store, vectors } = optionalSets({ vectors: embeddings?.layout });
  return setUpSets(call, embeddings === undefined ? [store] : [store, vectors]);
}
