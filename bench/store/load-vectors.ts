import type { BenchDatabase } from "../bench-server.js";
import type { Store, StoreSubject } from "./stores.js";
import { type VectorItems, vectorOf } from "./vector-items.js";

/** The items that the store stores itself, with all that it stores beside them. */
const FIRST = 10;
/** The number of items that one statement loads. Vectors as text have some kilobytes. */
const LOADED = 2_000;

/**
 * Fills a store with items that have a vector. Most of them are loaded by statements, and the index of the vectors is created afterwards, as
 * the store defined it: the official store would take minutes for 10,000 items.
 */
export async function loadVectors(
  { load, loadVectors: insert }: StoreSubject,
  store: Store,
  database: Pick<BenchDatabase, "query" | "exec">,
  items: VectorItems,
): Promise<void> {
  await store.setup();
  await store.batch(items.slice(0, FIRST));
  const [index] = await database.query<{ name: string; definition: string }>(VECTOR_INDEX);
  if (index === undefined) throw new Error("the store has created no index of vectors");
  await database.exec(`drop index ${index.name}`);
  for (let from = FIRST; from < items.count; from += LOADED) {
    const loaded = items.slice(from, from + LOADED);
    await load(database, loaded, items.count - from);
    await insert(
      database,
      loaded.map((item) => {
        const text = String(item.value.text);
        return { ...item, text, vector: `[${vectorOf(text).join()}]` };
      }),
    );
  }
  // Beyond this memory, pgvector builds an index many times slower.
  await database.exec(`begin; set local maintenance_work_mem = '512MB'; ${index.definition}; commit`);
  await database.exec("vacuum analyze");
}

const VECTOR_INDEX = `
  select indexname as name, indexdef as definition from pg_indexes
  where tablename = 'store_vectors' and indexdef like '%hnsw%'`;
