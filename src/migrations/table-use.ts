import type { LibraryDatabase } from "../db/checkpoint-database.js";
import type { OptionalTables } from "./migration-set.js";

/** What services need a table for: its rows, or only what it records about migrations. Only migrations use the lock table. */
export type TableUse = "rows" | "record" | "none";

/** How a saver, a store, a cache or a checkpoint store uses each table, and which optional tables it belongs to. */
export const TABLE_USE: Readonly<Record<keyof LibraryDatabase, readonly [TableUse, OptionalTables?]>> = {
  checkpoints: ["rows"],
  checkpoint_blobs: ["rows"],
  checkpoint_writes: ["rows"],
  checkpoint_tombstones: ["rows"],
  checkpoint_migrations: ["record"],
  checkpoint_kysely_migration: ["record"],
  checkpoint_kysely_migration_lock: ["none"],
  store: ["rows", "store"],
  store_migrations: ["record", "store"],
  store_kysely_migration: ["record", "store"],
  store_vectors: ["rows", "vectors"],
  store_embedding_model: ["rows", "vectors"],
  vector_migrations: ["record", "vectors"],
  store_vectors_kysely_migration: ["record", "vectors"],
  cache_entries: ["rows", "cache"],
  cache_kysely_migration: ["record", "cache"],
  checkpoint_store: ["rows", "checkpoint-store"],
  checkpoint_store_kysely_migration: ["record", "checkpoint-store"],
};
