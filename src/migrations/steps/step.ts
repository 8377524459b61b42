import type { Kysely } from "kysely";

/**
 * One version of the schema. A released step never changes, so that every database gets the same schema, whenever it is migrated.
 * Therefore steps declare the tables that they use, and import nothing that may change.
 */
export interface MigrationStep {
  /**
   * Migrates the schema to this version. A plan records the statements without running the earlier steps, so this may read only
   * the catalog, and the tables may be missing there.
   *
   * @param db - A Kysely on `schema`.
   * @param schema - The schema that holds the tables, for raw statements.
   */
  up(db: Kysely<MigratedTables>, schema: string): Promise<void>;
  /** Reverts {@link up}, or throws if that would lose data. */
  down(db: Kysely<MigratedTables>, schema: string): Promise<void>;
}

/** The columns of the tables and of the catalog that the steps read or write. */
export interface MigratedTables {
  checkpoints: { thread_id: string };
  checkpoint_blobs: { thread_id: string; blob: Uint8Array | null; base: string | null };
  checkpoint_writes: { thread_id: string; task_path: string };
  checkpoint_migrations: { v: number };
  checkpoint_tombstones: { thread_id: string };
  store: { prefix: string; value: unknown };
  store_migrations: { v: number };
  store_vectors: { prefix: string };
  vector_migrations: { v: number };
  cache_entries: { key: string };
  "pg_catalog.pg_available_extensions": { name: string };
  "pg_catalog.pg_settings": { name: string; enumvals: string[] | null };
  "pg_catalog.pg_namespace": { oid: number; nspname: string };
  "pg_catalog.pg_class": { oid: number; relname: string; relnamespace: number };
  "pg_catalog.pg_attribute": {
    attrelid: number;
    attname: string;
    attnum: number;
    attisdropped: boolean;
    attcompression: string;
  };
}

/** The collation of every key: compares text byte by byte, as LangGraph compares ids, and is the fastest to index. */
export const KEY_COLLATION = "C";
