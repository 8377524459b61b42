import { mkdir } from "node:fs/promises";
import { PGlite } from "@electric-sql/pglite";
import { PostgresSaver } from "langgraph-checkpoint-kysely";
import { PostgresCache } from "langgraph-checkpoint-kysely/cache";
import { PostgresStore } from "langgraph-checkpoint-kysely/store";
import pg from "pg";
import { log } from "./log.js";
import type { Settings } from "./settings.js";

/** What keeps the state of the service. All three share one pool. */
export interface Database {
  /** Threads: what was said, and how far each run has come. */
  readonly saver: PostgresSaver;
  /** What is known of a customer beyond one thread. */
  readonly store: PostgresStore;
  /** Results of nodes that all processes share. */
  readonly cache: PostgresCache;
  close(): Promise<void>;
}

/** Opens the database, and creates or migrates its tables. */
export async function openDatabase({ database, retention }: Settings): Promise<Database> {
  const { source, options, close } = await connect(database);
  // A turn has the lock of its thread. Should it lose the lock and not notice at once, nothing more of it is stored.
  const saver = new PostgresSaver(source, undefined, { ...options, concurrency: "optimistic" });
  const store = new PostgresStore(source, options);
  const cache = new PostgresCache(source, { ...options, keyPrefix: "assistant-1", maxEntries: 100_000 });
  // Where the role of the service may not create tables, migrate in the pipeline: `npx langgraph-checkpoint-kysely migrate`.
  await saver.setup();
  await store.setup();
  await cache.setup();
  // One process of all does the work; when it ends, another one goes on.
  saver.startRetention(retention);
  return {
    ...{ saver, store, cache },
    close: async () => {
      await cache.end();
      await store.end();
      await saver.end(); // with the retention
      await close();
    },
  };
}

async function connect(database: Settings["database"]) {
  if ("folder" in database) {
    await mkdir(database.folder, { recursive: true, mode: 0o700 });
    const source = new PGlite(database.folder);
    return { source, options: { logger: log }, close: () => source.close() };
  }
  const { url, poolSize, statementTimeoutMs } = database;
  const source = new pg.Pool({
    ...{ connectionString: url, application_name: "assistant-service" },
    ...{ max: poolSize, connectionTimeoutMillis: 2_000, keepAlive: true },
  });
  return { source, options: { logger: log, statementTimeoutMs }, close: () => source.end() };
}
