import { BaseCache, type CacheFullKey, type CacheNamespace } from "@langchain/langgraph-checkpoint";
import type { CacheDatabase } from "../db/checkpoint-database.js";
import type { DatabaseSource } from "../db/opened-database.js";
import type { Place } from "../db/grouping/turn-queues.js";
import { runTransaction } from "../db/statements/run-statement.js";
import type { Health } from "../health/health.js";
import {
  type CallOptions,
  parseCallOptions,
  parseSetupOptions,
  type SetupOptions,
} from "../parsing/parse-call-options.js";
import { bindClear, bindClearPrefix, type Clearing, EntryOrder } from "./entry-order.js";
import { cacheHealth, openCache, type OpenedCache } from "./open-cache.js";
import { type CacheCall, cacheOperations, type CacheCounts } from "./cache-call.js";
import type { PostgresCacheOptions, WrapOptions } from "./cache-options.js";
import { readEntries, encodeEntries, type GivenEntry, storeEntries } from "./entry-values.js";
import { sweepEntries, Trimming } from "./trimming.js";
import { type CacheAccess, wrapFunction } from "./wrap-function.js";
import type { ObservedOperation } from "../telemetry/running-calls.js";
import { runCall } from "../db/run-call.js";

/**
 * A cache of the results of nodes and tasks in PostgreSQL, which all processes of a service share.
 *
 * `get` and `set` take one statement each. They never fail a run: what can't be read is computed again, and a database that does not answer
 * delays a run by `deadlineMs` once.
 *
 * @typeParam V - The type of the values. LangGraph stores the writes of tasks.
 *
 * @example
 * ```ts
 * import { PostgresCache } from "langgraph-checkpoint-kysely/cache";
 *
 * const cache = new PostgresCache("postgres://localhost/agents", { keyPrefix: "research" });
 * const graph = new StateGraph(State)
 *   .addNode("search", search, { cachePolicy: { ttl: 3600 } })
 *   .addEdge("__start__", "search")
 *   .compile({ cache });
 * ```
 */
export class PostgresCache<V = unknown> extends BaseCache<V> {
  readonly #opened: OpenedCache;
  readonly #order = new EntryOrder();
  readonly #trimming = new Trimming(() => this.sweep());

  /**
   * @param source - The database. The cache opens a described database at the first query, and {@link end} closes it. It never closes a
   *   pool, a Kysely or a PGlite that you pass in, so that savers, stores and caches may share them. In a transaction that you pass in, a
   *   failed statement of the cache makes the whole transaction fail.
   * @param options - How long entries live, how many there may be, and the handling of connections and faults.
   * @throws InvalidConfigError for an invalid source or option.
   */
  constructor(source: DatabaseSource<CacheDatabase>, options: PostgresCacheOptions = {}) {
    const opened = openCache(source, options);
    super(opened.call.serde);
    this.#opened = opened;
  }

  /**
   * Creates a cache on a connection string. It connects at the first query, and {@link end} closes it.
   *
   * @param connString - `postgres://…` as `pg` takes it, `memory://` for PGlite in memory, `file://folder` for PGlite in a folder.
   *
   * @example
   * ```ts
   * await using cache = PostgresCache.fromConnString(process.env.DATABASE_URL ?? "memory://");
   * ```
   */
  static fromConnString<V = unknown>(
    connString: string,
    options: PostgresCacheOptions = {},
  ): PostgresCache<V> {
    return new PostgresCache<V>(connString, options);
  }

  /**
   * Creates or migrates the table. Any number of processes may call it at the same time. The first call of any method does so too, unless
   * `ensureTables` is `false`, but a `get` waits no longer for it than its deadline. Call it where a service starts.
   *
   * @throws MigrationRequiredError where the role lacks a privilege for a migration. The message names the command to run.
   * @throws MigrationError where a step fails, or the wait for a lock takes longer than `options.lockTimeoutMs`.
   *
   * @example
   * ```ts
   * await cache.setup();
   * ```
   */
  async setup(options?: SetupOptions): Promise<void> {
    await this.#opened.preparation.setUp(parseSetupOptions(options));
  }

  /**
   * Reads entries.
   *
   * @param keys - Namespaces and keys. One that occurs several times is answered once.
   * @returns The entries that exist, have not expired and can be decoded, in the order of `keys`. Nothing where the database does not
   *   answer, unless `onError` is `"throw"`.
   *
   * @example
   * ```ts
   * const [found] = await cache.get([[["summaries"], "report.pdf"]]);
   * console.log(found?.value);
   * ```
   */
  override async get(keys: CacheFullKey[]): Promise<{ key: CacheFullKey; value: V }[]> {
    if (keys.length === 0) return [];
    try {
      const found = await this.#guarded(cacheOperations["cache.get"], (call) => readEntries(call, keys));
      return found as { key: CacheFullKey; value: V }[];
    } catch (error) {
      this.#opened.call.settings.tally.add("skipped", keys.length);
      if (this.#opened.throwsErrors) throw error;
      return [];
    }
  }

  /**
   * Stores entries in one statement. Of several with the same key, the last one counts. It never rejects, since LangGraph does not await
   * it: the log and {@link counts} tell what was not stored.
   *
   * @param pairs - `ttl`: how long the entry lives, in seconds, which may be a fraction. Without it the entry lives for `defaultTtl`. With
   *   0 or less, nothing is stored, and an existing entry is removed.
   *
   * @example
   * ```ts
   * await cache.set([{ key: [["summaries"], "report.pdf"], value: summary, ttl: 3600 }]);
   * ```
   */
  override async set(pairs: { key: CacheFullKey; value: V; ttl?: number }[]): Promise<void> {
    if (pairs.length === 0) return;
    const place = this.#order.placeOf(this.#call(), pairs);
    await this.#set(pairs, place).finally(() => {
      place.leave();
    });
  }

  async #set(pairs: readonly GivenEntry[], place: Place): Promise<void> {
    const entries = await encodeEntries(this.#call(), pairs);
    if (entries.length === 0) return;
    try {
      await this.#guarded(cacheOperations["cache.set"], async (call) => {
        await place.reached(call.signal);
        await storeEntries(call, entries);
      });
    } catch {
      this.#opened.call.settings.tally.add("skipped", entries.length);
      return;
    }
    const bytes = entries.reduce((sum, { value }) => sum + value.byteLength, 0);
    if (this.#opened.growth.stored(entries.length, bytes)) this.#trimming.begin();
  }

  /**
   * Deletes entries.
   *
   * @param namespaces - The namespaces whose entries are deleted, without those below them. `[]` deletes all entries of this `keyPrefix`,
   *   which is what `graph.clearCache()` does.
   * @throws DatabaseError where the entries may still be there.
   *
   * @example
   * ```ts
   * await cache.clear([["summaries"]]);
   * ```
   */
  override async clear(namespaces: CacheNamespace[], options: CallOptions = {}): Promise<void> {
    await this.#clear(options, (call) => bindClear(call, namespaces));
  }

  /**
   * Deletes the entries of a namespace and of all namespaces below it.
   *
   * @param namespace - The first labels; `[]` for everything.
   * @throws DatabaseError where the entries may still be there.
   *
   * @example
   * ```ts
   * await cache.clearPrefix(["__pregel_ns_writes"]); // the results of all nodes and tasks
   * ```
   */
  async clearPrefix(namespace: CacheNamespace, options: CallOptions = {}): Promise<void> {
    await this.#clear(options, (call) => bindClearPrefix(call, namespace));
  }

  /**
   * Wraps a function, so that equal calls share a result: one call computes it, in whatever process, and the others wait for its entry.
   * LangGraph itself computes a node as often as runs need it at the same moment. Call the wrapped function in a node or a task.
   *
   * @param run - The function. Where it throws, nothing is cached, and the next call tries again.
   * @param options - `namespace`: where the entries are. `leaseSeconds`: how long others wait for a call that may have crashed.
   * @returns A function with the same arguments. It rejects as `run` does. Where the database does not answer it only calls `run`.
   * @throws InvalidConfigError for an invalid option.
   *
   * @example
   * ```ts
   * const fetchOnce = cache.wrap(fetchReport, { namespace: ["reports"], ttl: 3600 });
   * const report = await fetchOnce("https://example.com/report");
   * ```
   */
  wrap<Args extends readonly unknown[], Result>(
    run: (...args: Args) => Result | Promise<Result>,
    options: WrapOptions<Args>,
  ): (...args: Args) => Promise<Result> {
    const access: CacheAccess = {
      call: () => this.#call(),
      guarded: (name, work) => this.#guarded(name, work),
      set: (entry) => this.set([{ ...entry, value: entry.value as V }]),
      throwsErrors: this.#opened.throwsErrors,
    };
    return wrapFunction(access, run, options);
  }

  /**
   * Deletes all entries that have expired, and those that exceed the bounds, in transactions of some thousands. One process does so at a time.
   *
   * @returns The number of deleted entries.
   *
   * @example
   * ```ts
   * await cache.sweep();
   * ```
   */
  async sweep(options: CallOptions = {}): Promise<number> {
    return runCall(this.#callOf(options), cacheOperations["cache.sweep"], async (call) => {
      await this.#opened.preparation.ready();
      return sweepEntries(call);
    });
  }

  /**
   * Checks whether entries can be stored now. It never rejects, reads only the catalog, and ends by the `signal` or after two seconds.
   *
   * @example
   * ```ts
   * const { ok, error } = await cache.health({ signal: AbortSignal.timeout(500) });
   * ```
   */
  async health(options?: CallOptions): Promise<Health> {
    return cacheHealth(this.#call(), options);
  }

  /** What has become of keys and entries since this cache was created. Metrics have the same counts. */
  get counts(): CacheCounts {
    return this.#opened.call.settings.tally.counts;
  }

  /**
   * Closes what this cache opened. It never closes a pool, a Kysely or a PGlite that you passed in. It may be called more than once.
   *
   * @example
   * ```ts
   * process.on("SIGTERM", () => void cache.end());
   * ```
   */
  async end(): Promise<void> {
    const { preparation, call } = this.#opened;
    await Promise.all([preparation.end(), call.database.close()]);
  }

  /** Calls {@link end} at the end of a block that declares the cache with `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  /** The context of a call, with the serializer that the cache has now. */
  #call(): CacheCall {
    return { ...this.#opened.call, serde: this.serde };
  }

  #guarded<T>(operation: ObservedOperation, work: (call: CacheCall) => Promise<T>): Promise<T> {
    return this.#opened.guarded.run(this.#call(), operation, work);
  }

  async #clear(options: CallOptions, bind: (call: CacheCall) => Clearing): Promise<void> {
    await runCall(this.#callOf(options), cacheOperations["cache.clear"], async (call) => {
      const { statement, scope } = bind(call);
      return this.#order.clear(call, scope, async () => {
        await this.#opened.preparation.ready();
        return runTransaction(call, { statements: [statement] });
      });
    });
  }

  #callOf(options: CallOptions): CacheCall {
    return { ...this.#call(), signal: parseCallOptions(options) };
  }
}
