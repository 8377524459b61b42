import type { StoreDatabase } from "../db/checkpoint-database.js";
import type { DatabaseSource } from "../db/opened-database.js";
import { ItemStore } from "./item-store.js";
import { openStore } from "./open-store.js";
import type { PostgresStoreOptions } from "./store-options.js";

/** The one argument of the official store: its options, and the database among them. */
export interface PostgresStoreConfig extends PostgresStoreOptions {
  /** The database, as the first argument of the other form of the constructor. */
  readonly connectionOptions: DatabaseSource<StoreDatabase>;
}

/**
 * Long-term memory of LangGraph agents in PostgreSQL, in the tables of Python's `PostgresStore`.
 *
 * Each call is one transaction in one round trip, so it counts completely or not at all. The store retries transient faults, and a lost
 * connection never ends the process.
 *
 * @example
 * ```ts
 * import { PostgresStore } from "langgraph-checkpoint-kysely/store";
 *
 * const store = PostgresStore.fromConnString("postgres://localhost/agents");
 * const graph = builder.compile({ checkpointer, store });
 * await store.put(["users", "7"], "profile", { name: "Ada" });
 * await store.end();
 * ```
 */
export class PostgresStore extends ItemStore {
  /**
   * @param source - The database, or the one argument of the official store. The store opens a described database at the first query, and
   *   {@link end} closes it. It never closes a pool, a Kysely or a PGlite that you pass in. You may pass in a transaction: then an item
   *   commits together with the rows of the application.
   * @param options - The schema, how long items live, and the handling of connections and faults.
   * @throws InvalidConfigError for an invalid source or option.
   */
  constructor(
    source: DatabaseSource<StoreDatabase> | PostgresStoreConfig,
    options: PostgresStoreOptions = {},
  ) {
    super(isConfig(source) ? openConfig(source) : openStore(source, options));
  }

  /**
   * Creates a store on a connection string. It connects at the first query, and {@link end} closes it.
   *
   * @param connString - `postgres://…` as `pg` takes it, `memory://` for PGlite in memory, `file://folder` for PGlite in a folder.
   *
   * @example
   * ```ts
   * await using store = PostgresStore.fromConnString(process.env.DATABASE_URL ?? "memory://", { ttl: { defaultTtl: 60 } });
   * ```
   */
  static fromConnString(connString: string, options: PostgresStoreOptions = {}): PostgresStore {
    return new PostgresStore(connString, options);
  }
}

function openConfig({ connectionOptions, ...options }: PostgresStoreConfig) {
  return openStore(connectionOptions, options);
}

function isConfig(
  source: DatabaseSource<StoreDatabase> | PostgresStoreConfig,
): source is PostgresStoreConfig {
  return typeof source === "object" && "connectionOptions" in source;
}
