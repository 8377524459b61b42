import { BaseStore, type Operation, type OperationResults } from "@langchain/langgraph-checkpoint";
import { EndableGenerator } from "../db/async/endable-generator.js";
import { noop } from "../db/async/noop.js";
import type { Place } from "../db/grouping/turn-queues.js";
import { InvalidConfigError } from "../errors/index.js";
import type { Health } from "../health/health.js";
import {
  type CallOptions,
  parseCallOptions,
  parseSignal,
  parseSetupOptions,
  type SetupOptions,
} from "../parsing/parse-call-options.js";
import { parseLines } from "../parsing/parse.js";
import type {
  ExportItemsOptions,
  ImportItemsOptions,
  ImportItemsReport,
  CountOptions,
  GetOptions,
  ListNamespacesOptions,
  PutOptions,
  ReembedOptions,
  SearchOptions,
} from "./store-options.js";
import { exportItems, importItems } from "./back-up-items.js";
import {
  parseExportItems,
  parseImportItems,
  parseReembed,
  readCallOptions,
} from "./boundary/parse-options.js";
import { parseItemNamespace } from "./boundary/parse-namespace.js";
import {
  parseCount,
  parseDelete,
  parseEach,
  parseGet,
  parseList,
  parseOperations,
  parseItemPut,
  parseSearch,
} from "./boundary/parse-operation.js";
import { toPrefix, itemId } from "./queries/item-rows.js";
import { deleteNamespace, runOne, updateItem } from "./run-one.js";
import type { FoundItem, ItemValue, StoreItem } from "./item.js";
import { type OpenedStore, storeHealth, sweepItems } from "./open-store.js";
import type { StoreOperation } from "./operations.js";
import { countItems } from "./queries/newest-items.js";
import { reembed } from "./embeddings/reembed.js";
import { runOperations } from "./run-batch.js";
import { inItsTurn, type StoreCall, itemOperations, sendAlone } from "./store-call.js";
import { type StoreChange, watchItems } from "./watch-items.js";
import { runCall } from "../db/run-call.js";
import type { ObservedOperation } from "../telemetry/running-calls.js";

/** An item to store with {@link ItemStore.putMany}. */
export interface ItemInput {
  readonly namespace: readonly string[];
  readonly key: string;
  readonly value: ItemValue;
  /** How long the item lives, in minutes; `null` for ever. Default: by the options of the store. */
  readonly ttl?: number | null | undefined;
  /** The paths of the texts to embed; `false` for none. Default: by the options of the store. */
  readonly index?: false | readonly string[] | undefined;
}

/**
 * Returns what a store works with, for rooms that read from it.
 *
 * @throws InvalidConfigError for anything else than a store of this copy of the library.
 */
export let openedStoreOf: (store: ItemStore) => OpenedStore;

/**
 * The methods of `PostgresStore`, and of what its `scoped` returns. Each one parses its arguments and calls a function of the room.
 */
export class ItemStore extends BaseStore {
  readonly #opened: OpenedStore;

  static {
    openedStoreOf = (store) => {
      if (#opened in store) return store.#opened;
      throw new InvalidConfigError("store", "must be a PostgresStore of this library");
    };
  }

  /** @internal */
  protected constructor(opened: OpenedStore) {
    super();
    this.#opened = opened;
  }

  /**
   * Creates or migrates the tables, and adopts those of Python's store as they are. Any number of processes may call it at the same
   * time. Where nothing has to change, it only reads. The first call of any method does so too, unless `ensureTables` is `false`.
   *
   * @param options - `lockTimeoutMs`: how long to wait for another process that migrates, and for locked tables.
   * @throws IncompatibleTablesError where the schema has the tables of the official JavaScript store. The message names the command that
   *   converts them.
   * @throws MigrationRequiredError where the role lacks a privilege for a migration. The message names the command to run.
   * @throws MigrationError where a step fails, or the wait for a lock takes longer than `lockTimeoutMs`. It names the sessions that hold
   *   the lock. Nothing is changed then.
   *
   * @example
   * ```ts
   * await store.setup();
   * ```
   */
  async setup(options?: SetupOptions): Promise<void> {
    await this.#opened.preparation.setUp(parseSetupOptions(options));
  }

  /**
   * Reads an item.
   *
   * @param options - `refreshTtl`: whether its time starts again.
   * @returns The item, or `null` if there is none or it has expired.
   *
   * @example
   * ```ts
   * const item = await store.get<Profile>(["users", "7"], "profile");
   * console.log(item?.value.name);
   * ```
   */
  override async get<Value extends ItemValue = ItemValue>(
    namespace: readonly string[],
    key: string,
    options: GetOptions = {},
  ): Promise<StoreItem<Value> | null> {
    const { signal, ...others } = readCallOptions(options);
    return this.#one(itemOperations["store.get"], signal, ({ settings }) =>
      parseGet(settings, namespace, key, others),
    );
  }

  /**
   * Reads any number of items in one statement.
   *
   * @returns The items in the order of `keys`; `null` for each that does not exist.
   *
   * @example
   * ```ts
   * const [profile, settings] = await store.getMany([
   *   { namespace: ["users", "7"], key: "profile" },
   *   { namespace: ["users", "7"], key: "settings" },
   * ]);
   * ```
   */
  async getMany<Value extends ItemValue = ItemValue>(
    keys: readonly { readonly namespace: readonly string[]; readonly key: string }[],
    options: GetOptions = {},
  ): Promise<(StoreItem<Value> | null)[]> {
    const { signal, ...others } = readCallOptions(options);
    return this.#many(itemOperations["store.get"], signal, ({ settings }) =>
      parseEach("keys", keys, ({ namespace, key }) => parseGet(settings, namespace, key, others)),
    );
  }

  /**
   * Stores an item. It replaces the item with the same key, which keeps its time of creation.
   *
   * @param value - JSON data. A Date is stored as ISO text.
   * @param index - The paths of the texts to embed; `false` for none. Default: by the options of the store.
   * @param options - `ttl`: how long the item lives. `ifVersion`: the version that the item must have; 0 for no item.
   * @throws InvalidNamespaceError, InvalidConfigError for invalid arguments, before any I/O.
   * @throws RangeError for a `ttl` that is not positive, or longer than 1,900 years.
   * @throws SerializationError for a value that would not be read back equal.
   * @throws VersionConflictError where the item has another version. Nothing is stored then.
   * @throws InvalidEmbeddingError, EmbeddingMismatchError where the store can't store the vectors of its model. Nothing is stored then.
   *
   * @example
   * ```ts
   * await store.put(["users", "7"], "profile", { name: "Ada" });
   * ```
   */
  override async put(
    namespace: readonly string[],
    key: string,
    value: ItemValue,
    index?: false | readonly string[],
    options: PutOptions = {},
  ): Promise<void> {
    const { signal, ...others } = readCallOptions(options);
    await this.#one(itemOperations["store.put"], signal, ({ settings }) =>
      parseItemPut(settings, { namespace, key, value }, { ...others, index }),
    );
  }

  /**
   * Stores any number of items in one statement: all of them or none. Of several with the same key, the last one counts.
   *
   * @example
   * ```ts
   * await store.putMany(facts.map((fact) => ({ namespace: ["facts"], key: fact.id, value: fact })));
   * ```
   */
  async putMany(items: readonly ItemInput[], options: CallOptions = {}): Promise<void> {
    await this.#many(itemOperations["store.put"], parseCallOptions(options), ({ settings }) =>
      parseEach("items", items, ({ namespace, key, value, ttl, index }) =>
        parseItemPut(settings, { namespace, key, value }, ttl === undefined ? { index } : { ttl, index }),
      ),
    );
  }

  /**
   * Replaces the value of an item by what `change` makes of it. Where someone else writes the item meanwhile, it calls `change` again with
   * the new value, so that no update is lost.
   *
   * @param change - Gets the value, or `undefined` if there is no such item. It may be called several times.
   * @throws VersionConflictError after 20 attempts.
   *
   * @example
   * ```ts
   * await store.update<Counter>(["users", "7"], "visits", (visits) => ({ count: (visits?.count ?? 0) + 1 }));
   * ```
   */
  async update<Value extends ItemValue = ItemValue>(
    namespace: readonly string[],
    key: string,
    change: (value: Value | undefined) => Value | Promise<Value>,
    options: CallOptions = {},
  ): Promise<void> {
    const signal = parseCallOptions(options);
    const access = {
      read: () => this.get<Value>(namespace, key, { signal }),
      write: async (value: Value, ifVersion: number, isItsTurn: boolean) => {
        await this.#one(
          itemOperations["store.put"],
          signal,
          ({ settings }) => parseItemPut(settings, { namespace, key, value }, { ifVersion }),
          isItsTurn,
        );
      },
      place: this.#placeOf(namespace, key),
    };
    await updateItem(access, change, signal);
  }

  /**
   * Deletes an item. One that does not exist is no error.
   *
   * @example
   * ```ts
   * await store.delete(["users", "7"], "profile");
   * ```
   */
  override async delete(namespace: readonly string[], key: string, options: CallOptions = {}): Promise<void> {
    await this.#one(itemOperations["store.delete"], parseCallOptions(options), ({ settings }) =>
      parseDelete(settings, namespace, key),
    );
  }

  /**
   * Deletes a namespace with all namespaces below it, in transactions of 1,000 items.
   *
   * @returns The number of deleted items.
   * @throws InvalidNamespaceError for the empty namespace, which is everything.
   *
   * @example
   * ```ts
   * await store.deleteNamespace(["users", "7"]);
   * ```
   */
  async deleteNamespace(namespace: readonly string[], options: CallOptions = {}): Promise<number> {
    return this.#run(itemOperations["store.deleteNamespace"], parseCallOptions(options), (call) => {
      const prefix = toPrefix([...call.settings.root, ...parseItemNamespace(namespace)]);
      return (within) => deleteNamespace(within, prefix);
    });
  }

  /**
   * Finds items of a namespace and of those below it.
   *
   * @param namespacePrefix - The first labels; `[]` for everything.
   * @param options - `filter`: conditions on the value. `query`: text to find, the best match first, by the option `mode`. Without it the
   *   newest item comes first. `limit` (default 10) and `offset` choose the page.
   * @returns The items, each with a `score` where the query has one for it: the higher, the better.
   * @throws InvalidConfigError for an unknown operator of a filter, and for a mode that needs the store's option `index`.
   *
   * @example
   * ```ts
   * const adults = await store.search<Profile>(["users"], { filter: { age: { $gte: 18 } }, limit: 20 });
   * ```
   */
  override async search<Value extends ItemValue = ItemValue>(
    namespacePrefix: readonly string[],
    options: SearchOptions = {},
  ): Promise<FoundItem<Value>[]> {
    const { signal, ...others } = readCallOptions(options);
    return this.#one(itemOperations["store.search"], signal, ({ settings }) =>
      parseSearch(settings, namespacePrefix, others),
    );
  }

  /**
   * Counts the items of a namespace and of those below it.
   *
   * @example
   * ```ts
   * await store.count(["users", "7"], { filter: { kind: "fact" } });
   * ```
   */
  async count(namespacePrefix: readonly string[], options: CountOptions = {}): Promise<number> {
    const { signal, ...others } = readCallOptions(options);
    return this.#run(itemOperations["store.count"], parseSignal({ signal }), (call) => {
      const { prefix, filter } = parseCount(call.settings, namespacePrefix, others);
      const statement = countItems(call.schema, prefix, filter);
      return whenReady(async () => (await sendAlone(call, statement))[0]?.items ?? 0);
    });
  }

  /**
   * Lists the namespaces that hold items, in the order of their labels joined by periods, byte by byte.
   *
   * @param options - `prefix` and `suffix`: the first and last labels, where `"*"` is any one label. `maxDepth`: longer namespaces are cut
   *   off. `limit` (default 100) and `offset` choose the page.
   *
   * @example
   * ```ts
   * const users = await store.listNamespaces({ prefix: ["users"], maxDepth: 2 });
   * ```
   */
  override async listNamespaces(options: ListNamespacesOptions = {}): Promise<string[][]> {
    const { signal, prefix, suffix, ...others } = readCallOptions(options);
    const matchConditions = [
      ...(prefix === undefined ? [] : [{ matchType: "prefix", path: prefix }]),
      ...(suffix === undefined ? [] : [{ matchType: "suffix", path: suffix }]),
    ];
    return this.#one(itemOperations["store.listNamespaces"], signal, ({ settings }) =>
      parseList(settings, { ...others, matchConditions }),
    );
  }

  /**
   * Runs operations in one transaction and one round trip: first all reads, which see the state before, then all writes, of which the last
   * one of a key counts. Either all of them count or none.
   *
   * @returns The results in the order of the operations; `undefined` for a write.
   */
  override async batch<Op extends readonly Operation[]>(
    operations: Op,
    options: CallOptions = {},
  ): Promise<OperationResults<Op>> {
    return this.#many(itemOperations["store.batch"], parseCallOptions(options), ({ settings }) =>
      parseOperations(settings, operations),
    );
  }

  /**
   * Yields the changes of a namespace and of those below it that stores with `notify: true` make from now on: each item as it is when you
   * get to it, and each deletion. Values that were replaced in between are left out. That an item expires is not a change.
   *
   * The watch starts with the first `next()`. One connection beside the pool listens for all watches on that pool. If it is lost, the watch
   * connects again, yields a change of the type `gap`, and then the items that any program stored meanwhile. It can't know
   * what was deleted meanwhile.
   *
   * `break`, `return()` (also while a `next()` waits) and `end()` of the store end the watch. A `signal` ends it as well: `next()` then
   * rejects with an AbortError.
   *
   * @throws InvalidConfigError at the first `next()`, on a Kysely or a transaction that you passed in, and behind a pooler in transaction
   *   mode where that is detected: no notifications arrive there.
   *
   * @example
   * ```ts
   * for await (const change of store.watch(["users", "7"], { signal })) {
   *   if (change.type === "put") console.log(change.item.key, change.item.value);
   * }
   * ```
   */
  watch<Value extends ItemValue = ItemValue>(
    namespacePrefix: readonly string[],
    options: CallOptions = {},
  ): AsyncGenerator<StoreChange<Value>, undefined> {
    const { call, preparation, ended } = this.#opened;
    return new EndableGenerator((ending) =>
      watchItems<Value>({ call, namespacePrefix, options, ready: async () => preparation.ready() }, [
        ending,
        ended.signal,
      ]),
    );
  }

  /**
   * Returns a store for what is below a namespace. All of its namespaces are relative, so that it can't leave that namespace. It shares the
   * connections and the options of this store.
   *
   * @example
   * ```ts
   * const memories = store.scoped(["users", userId]);
   * await memories.put(["facts"], "1", { text: "likes tea" }); // in ["users", userId, "facts"]
   * ```
   */
  scoped(prefix: readonly string[]): ItemStore {
    const { call, ...shared } = this.#opened;
    const root = [...call.settings.root, ...parseItemNamespace(prefix)];
    return new ItemStore({ ...shared, call: { ...call, settings: { ...call.settings, root } } });
  }

  /**
   * Deletes all items that have expired, in transactions of 1,000 items. One process sweeps at a time. Reads never see expired items, so
   * it only frees space.
   *
   * @returns The number of deleted items.
   *
   * @example
   * ```ts
   * await store.sweep();
   * ```
   */
  async sweep(options: CallOptions = {}): Promise<number> {
    return this.#run(itemOperations["store.sweep"], parseCallOptions(options), () =>
      whenReady((call) => sweepItems(call)),
    );
  }

  /**
   * Embeds all items again that need it: those without vectors, and all of them where the tables have embeddings of another `model`,
   * `dims`, `vectorType`, `distanceMetric` or `indexType` than the store's `index`. A text whose vector is stored is not embedded again.
   *
   * Searches and writes go on meanwhile. Stores with the old `index` work until the new vectors of all items are complete and replace the
   * old ones; from then on, they throw `EmbeddingMismatchError`. A call that was interrupted goes on where it stopped. To replace vectors,
   * the role must own the tables.
   *
   * @returns The number of texts that were embedded.
   * @throws InvalidConfigError for a store without `index`, and for one that `scoped` returned or that is on a transaction.
   *
   * @example
   * ```ts
   * await store.reembed({ onProgress: ({ done, total }) => console.log(`${done} of ${total}`) });
   * ```
   */
  async reembed(options: ReembedOptions = {}): Promise<{ embedded: number }> {
    const { signal, ...others } = readCallOptions(options);
    return this.#run(itemOperations["store.reembed"], parseSignal({ signal }), (call) => {
      const { vectors, plan } = parseReembed(call, others);
      return whenReady((within) => reembed(within, vectors, plan));
    });
  }

  /** The same as {@link sweep}, as the official store calls it. */
  async sweepExpiredItems(): Promise<number> {
    return this.sweep();
  }

  /**
   * Checks whether items can be stored now. It never rejects, reads only the catalog, retries nothing, and ends after two seconds, or when
   * the `signal` aborts.
   *
   * @example
   * ```ts
   * const { ok, error } = await store.health({ signal: AbortSignal.timeout(500) });
   * response.writeHead(ok ? 200 : 503).end(error?.code ?? "ok");
   * ```
   */
  async health(options?: CallOptions): Promise<Health> {
    return storeHealth(this.#opened.call, options);
  }

  /**
   * Yields items as lines of JSON, in the order of their namespaces and keys, with constant memory: values as they are stored, versions,
   * times and TTLs. Expired items are left out. Embeddings are left out too: they are made again where the items are imported.
   *
   * Each item is exported as of one moment, and pages of up to 1,000 items together. What is written meanwhile may be left out.
   *
   * @param options - `namespace`: only the items of this namespace and of those below it.
   * @returns Lines without line feeds.
   *
   * @example
   * ```ts
   * const lines = store.exportItems({ namespace: ["users", "7"] });
   * await pipeline(lines, async function* (all) { for await (const line of all) yield `${line}\n`; }, createWriteStream("7.ndjson"));
   * ```
   */
  async *exportItems(options?: ExportItemsOptions): AsyncGenerator<string> {
    const { call, preparation } = this.#opened;
    const prefix = toPrefix([...call.settings.root, ...parseExportItems(options)]);
    const signal = parseSignal(options);
    await preparation.ready();
    yield* exportItems(signal === undefined ? call : { ...call, signal }, prefix);
  }

  /**
   * Stores the lines of {@link exportItems} in transactions of 1,000 items, with their versions, times and TTLs. It overwrites nothing: it
   * skips an item that is stored and equal, so an interrupted import can be started again, and fails for one that is stored and differs. It
   * leaves out items that have expired since. Values are stored as they are in the backup, without the schemas of `namespaces` and without
   * `serde`. `AesGcmSerializer` binds them to their namespace and key, so that they can be read only there.
   *
   * Embeddings are not in the backup. Until {@link reembed} has made them again, searches find the imported items only by their texts.
   *
   * @param lines - The lines, without line feeds.
   * @returns How many items were stored.
   * @throws StoreBackupError for lines that are not such a backup, for a backup that is cut off or damaged, and for stored items that
   *   differ. It contains what was stored.
   *
   * @example
   * ```ts
   * const { items } = await store.importItems(other.exportItems());
   * ```
   */
  async importItems(
    lines: AsyncIterable<string> | Iterable<string>,
    options?: ImportItemsOptions,
  ): Promise<ImportItemsReport> {
    return this.#run(itemOperations["store.importItems"], parseSignal(options), () => {
      const [checked, onProgress] = [parseLines(lines), parseImportItems(options)];
      return whenReady((within) => importItems(within, checked, onProgress));
    });
  }

  /** Creates the tables, unless `ensureTables` is `false`. LangGraph does not call it. */
  override async start(): Promise<void> {
    await this.#opened.preparation.ready();
  }

  /** The same as {@link end}. */
  override async stop(): Promise<void> {
    await this.end();
  }

  /**
   * Closes what this store opened. It never closes a pool, a Kysely or a PGlite that you passed in. It may be called more than once.
   *
   * @example
   * ```ts
   * process.on("SIGTERM", () => void store.end());
   * ```
   */
  async end(): Promise<void> {
    const { preparation, ended, call } = this.#opened;
    ended.abort();
    await Promise.all([preparation.end(), call.database.close()]);
  }

  /** Calls {@link end} at the end of a block that declares the store with `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  /** Gives a call a place among those about an item. There is none for an item that the call will refuse. */
  #placeOf(namespace: readonly string[], key: string): Place | undefined {
    const { groups, settings } = this.#opened.call;
    try {
      return groups?.writes?.hold({ keys: [itemId(parseDelete(settings, namespace, key))] });
    } catch {
      return undefined;
    }
  }

  /**
   * Runs one operation, and returns its result.
   *
   * @param isItsTurn - Whether it is a part of a call that has its turn.
   */
  async #one<Result>(
    operation: ObservedOperation,
    signal: AbortSignal | undefined,
    parse: (call: StoreCall) => StoreOperation,
    isItsTurn = false,
  ): Promise<Result> {
    return this.#run(operation, parseSignal({ signal }), (call) => {
      const parsed = parse(call);
      return async (within) => (await runOne(isItsTurn ? inItsTurn(within) : within, parsed)) as Result;
    });
  }

  /** Runs operations in one transaction. */
  #many<Results>(
    operation: ObservedOperation,
    signal: AbortSignal | undefined,
    parse: (call: StoreCall) => StoreOperation[],
  ): Promise<Results> {
    return this.#run(operation, parseSignal({ signal }), (call) => {
      const operations = parse(call);
      return async (within) => (await runOperations(within, operations)) as Results;
    });
  }

  /**
   * Runs a call, which is observed and ends by its signal.
   *
   * @param prepare - Parses the arguments before any I/O, and returns the work. It is called at once, so that calls keep their order while
   *   the tables are created.
   */
  #run<Result>(
    operation: ObservedOperation,
    signal: AbortSignal | undefined,
    prepare: (call: StoreCall) => (call: StoreCall) => Promise<Result>,
  ): Promise<Result> {
    const { call, preparation } = this.#opened;
    return runCall(signal === undefined ? call : { ...call, signal }, operation, async (observed) => {
      const work = prepare(observed);
      const ready = preparation.ready();
      if (ready === undefined) return work(observed);
      // A call may end before it asks.
      ready.catch(noop);
      return work({ ...observed, ready });
    });
  }
}

/** Work that does not begin before the tables are there. */
function whenReady<Result>(work: (call: StoreCall) => Promise<Result>): (call: StoreCall) => Promise<Result> {
  return async (call) => {
    if (call.ready !== undefined) await call.ready;
    return work(call);
  };
}
