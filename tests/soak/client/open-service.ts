import { createRequire } from "node:module";
import type pg from "pg";
import { growingGraph } from "./growing-graph.js";
import type { SoakClientOptions } from "./soak-client-options.js";

type Saver = InstanceType<(typeof import("../../../src/index.js"))["PostgresSaver"]>;
type Store = InstanceType<(typeof import("../../../src/store/index.js"))["PostgresStore"]>;

const POOL_SIZE = 6;

/** A graph with a saver of its own. All of them share a pool, a store and a cache. */
export interface Service {
  readonly saver: Saver;
  readonly store: Store;
  readonly graph: ReturnType<typeof growingGraph>;
}

/** What a process of the soak works with. */
export interface OpenedServices {
  readonly services: readonly Service[];
  /** Returns that of a user: with splices, with `keepLast`, or with neither. */
  readonly serviceOf: (user: number) => Service;
  readonly archiveFolder: (typeof import("../../../src/index.js"))["archiveFolder"];
  end(): Promise<void>;
}

/** Opens what a service opens, by the built package: as ES modules, or as CommonJS. */
export async function openServices({ loadedBy, dist, url }: SoakClientOptions): Promise<OpenedServices> {
  const require = createRequire(import.meta.url);
  const load = async <T>(name: string): Promise<T> =>
    loadedBy === "require" ? (require(name) as T) : ((await import(name)) as T);
  const entry = (name: string) => dist + name + (loadedBy === "require" ? ".cjs" : ".js");
  const { Pool } = require("pg") as typeof pg;
  const { PostgresSaver, archiveFolder } = await load<typeof import("../../../src/index.js")>(entry("index"));
  const { PostgresStore } = await load<typeof import("../../../src/store/index.js")>(entry("store"));
  const { PostgresCache } = await load<typeof import("../../../src/cache/index.js")>(entry("cache"));
  const langgraph = await load<typeof import("@langchain/langgraph")>("@langchain/langgraph");
  const pool = new Pool({ connectionString: url, max: POOL_SIZE, keepAlive: true });
  const store = new PostgresStore(pool);
  const cache = new PostgresCache(pool);
  const open = (options: { readonly splices?: boolean; readonly keepLast?: number }): Service => {
    const saver = new PostgresSaver(pool, undefined, options);
    return { saver, store, graph: growingGraph(langgraph, { checkpointer: saver, store, cache }) };
  };
  const plain = open({});
  const services = [open({ splices: true }), open({ keepLast: 5 }), plain];
  return {
    services,
    serviceOf: (user) => services[user % services.length] ?? plain,
    archiveFolder,
    end: async () => {
      await cache.end();
      await store.end();
      await pool.end();
    },
  };
}
