import type { Kysely } from "kysely";

/**
 * One version of the schema. A released step never changes: a database that ran it yesterday and one that runs it
 * today must end up alike. So a step declares the tables that it touches itself, and imports nothing that moves.
 */
export interface MigrationStep {
  /**
   * Brings the schema one version up. A plan prints what this would run, and may come before all other steps: so this
   * reads nothing but the catalog, where it must cope with tables that are not there yet.
   *
   * @param db - Names the tables in `schema` by itself.
   * @param schema - Where the tables are, for what a raw statement names.
   */
  up(db: Kysely<MigratedTables>, schema: string): Promise<void>;
  /** Undoes {@link up}, or throws when that would lose data. */
  down(db: Kysely<MigratedTables>, schema: string): Promise<void>;
}

/** The tables, and Postgres's catalog, as far as the steps read or write their rows. */
export interface MigratedTables {
  checkpoints: { thread_id: string };
  checkpoint_blobs: { thread_id: string; blob: Uint8Array | null };
  checkpoint_writes: { thread_id: string; task_path: string };
  checkpoint_migrations: { v: number };
  checkpoint_tombstones: { thread_id: string };
  "pg_catalog.pg_settings": { name: string; enumvals: string[] | null };
  "pg_catalog.pg_namespace": { oid: number; nspname: string };
  "pg_catalog.pg_class": { oid: number; relname: string; relnamespace: number };
  "pg_catalog.pg_attribute": { attrelid: number; attname: string; attcompression: string };
}

/** The column type of every key: text compared byte by byte, as LangGraph compares ids, and fastest to index. */
export const KEY_COLLATION = "C";
