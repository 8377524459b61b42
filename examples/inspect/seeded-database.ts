import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import pg from "pg";
import { PostgresSaver } from "../../src/index.js";
import { PostgresCache } from "../../src/cache/index.js";
import { PostgresStore } from "../../src/store/index.js";
import { DIMS, LetterEmbeddings } from "../memory/letter-embeddings.js";
import { seedCache } from "./cached-results.js";
import { SCENES, STORED_METADATA } from "./scenes.js";
import { seedHistory, type SeedOptions } from "./seed-history.js";

const HOUR_MS = 3_600_000;
const SCHEMA = "langgraph_inspect_demo";

/** A database with the history of the demo. */
export interface SeededDatabase extends AsyncDisposable {
  readonly saver: PostgresSaver;
  readonly store: PostgresStore;
}

/**
 * Seeds PGlite in memory, with searches by meaning, or the server at an address, with searches by words. The history of an earlier demo is
 * deleted.
 */
export async function openSeededDatabase(url?: string, options: SeedOptions = {}): Promise<SeededDatabase> {
  const database =
    url === undefined
      ? await PGlite.create({ extensions: { vector } })
      : new pg.Pool({ connectionString: url });
  const index = { dims: DIMS, embeddings: new LetterEmbeddings(), fields: ["fact"] };
  const saver = new PostgresSaver(database, undefined, {
    schema: SCHEMA,
    metadataFromConfig: STORED_METADATA,
    // The page follows the thread that is live.
    notify: true,
  });
  const store = new PostgresStore(database, { schema: SCHEMA, ...(url === undefined && { index }) });
  await saver.setup();
  for (const { threadId } of [...SCENES, { threadId: "live" }]) await saver.deleteThread(threadId);
  await seedHistory(saver, store, options);
  const cache = new PostgresCache(database, { schema: SCHEMA, keyPrefix: "research" });
  await seedCache(cache);
  await cache.end();
  if (options.now !== undefined) await dateItems(database, options.now);
  return {
    saver,
    store,
    [Symbol.asyncDispose]: async () => {
      await saver.end();
      await (database instanceof PGlite ? database.close() : database.end());
    },
  };
}

/** The database dates items by its own clock. */
async function dateItems(database: PGlite | pg.Pool, now: number): Promise<void> {
  const statement = `update ${SCHEMA}.store set created_at = $1, updated_at = $1`;
  const parameters = [new Date(now - HOUR_MS).toISOString()];
  await (database instanceof PGlite
    ? database.query(statement, parameters)
    : database.query(statement, parameters));
}
