import type { Kysely } from "kysely";

/**
 * One version of the schema. A released step never changes: a database that ran it yesterday and one that runs it
 * today must end up alike. So a step declares the tables that it touches itself, and imports nothing that moves.
 */
export interface MigrationStep {
  /** Brings the schema one version up. Plain DDL, without reading anything, so that a plan can print it. */
  up(db: Kysely<MigratedTables>): Promise<void>;
  /** Undoes {@link up}, or throws when that would lose data. */
  down(db: Kysely<MigratedTables>): Promise<void>;
}

/** The tables as far as the steps read or write their rows. */
export interface MigratedTables {
  checkpoints: { thread_id: string };
  checkpoint_blobs: { thread_id: string; blob: Uint8Array | null };
  checkpoint_writes: { thread_id: string; task_path: string };
  checkpoint_migrations: { v: number };
}

/** The column type of every key: text compared byte by byte, as LangGraph compares ids, and fastest to index. */
export const KEY_COLLATION = "C";
