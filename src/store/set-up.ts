import { optionalSets } from "../migrations/sets.js";
import { setUpSets } from "../migrations/set-up-sets.js";
import type { StoreCall } from "./store-call.js";

/** Migrates the tables of the store to the newest version; see `PostgresStore.setup`. */
export function setUp(call: StoreCall): Promise<void> {
  const { textSearchLanguage, vectors: embeddings } = call.settings;
  const { store, vectors } = optionalSets({ textSearchLanguage, vectors: embeddings?.layout });
  return setUpSets(call, embeddings === undefined ? [store] : [store, vectors]);
}
