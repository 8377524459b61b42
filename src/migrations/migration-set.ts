import type { RawBuilder } from "kysely";
import type { IncompatibleTablesError, InvalidConfigError } from "../errors/index.js";
import type { MigrationStep } from "./steps/step.js";
import type { ExpectedTable } from "./table-shape.js";
import type { LibraryDatabase } from "../db/checkpoint-database.js";

/** Tables that not every service needs. */
export type OptionalTables = "store" | "vectors" | "cache" | "checkpoint-store" | "conversations";

/** Adds the tables that others reference: embeddings reference the items of the store. */
export function withRequired(tables: readonly OptionalTables[]): readonly OptionalTables[] {
  return tables.includes("vectors") && !tables.includes("store") ? ["store", ...tables] : tables;
}

/** Tables that are migrated together. */
export interface MigrationSet {
  /** The name of optional tables. `undefined` for those of the savers. */
  readonly optional?: OptionalTables;
  /** The name that the caller has chosen for the table of a checkpoint store. `undefined`: `checkpoint_store`. */
  readonly checkpointTable?: string | undefined;
  /** The table in which Kysely's Migrator records the applied steps. Each set has its own. */
  readonly record: string;
  /** Every step by its recorded name, oldest first. No name occurs in the sets of two kinds of tables. */
  readonly steps: Readonly<Record<string, MigrationStep>>;
  /** The tables that the first step creates or adopts. */
  readonly tables: Readonly<Record<string, ExpectedTable>>;
  /** The other tables, each with the step that creates it. */
  readonly laterTables?: Readonly<Record<string, LaterTable>>;
  /** The table in which an official library counts its migrations, if it shares the tables. */
  readonly countedIn?: string;
  /** Tables whose rows belong together: one that is lost is created again only where the others have no rows. Default: none. */
  readonly together?: readonly string[];
  /** Tables of other sets with foreign keys to these, which they lose together with these. */
  readonly referencedBy?: readonly string[];
  /** The only column by which the tables may be partitioned. `undefined`: any. */
  readonly partitionKey?: string;
  /** An expression for whether the tables of a schema have every column that the statements of this version need. */
  isComplete(schema: string): RawBuilder<boolean>;
  /** Refuses a name that the caller has chosen for a table. */
  refuse?(schema: string, tables: readonly FoundTable[]): InvalidConfigError | undefined;
  /** Recognizes tables of another library, which a command converts. */
  recognize?(schema: string, tables: readonly FoundTable[]): IncompatibleTablesError | undefined;
}

/** A table that a later step creates. */
interface LaterTable {
  /** The recorded name of the step. */
  readonly step: string;
  readonly shape: ExpectedTable;
}

/** An existing table with the name of one of a set. */
export interface FoundTable {
  readonly table: string;
  /** The names of its columns. */
  readonly columns: readonly string[];
  /** Which of the columns of its {@link ExpectedTable} it lacks. */
  readonly missing: readonly string[];
  /** How it differs otherwise, each as a sentence about the table. */
  readonly differences: readonly string[];
}

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
  checkpoint_conversations: ["rows", "conversations"],
  checkpoint_conversations_kysely_migration: ["record", "conversations"],
  checkpoint_store: ["rows", "checkpoint-store"],
  checkpoint_store_kysely_migration: ["record", "checkpoint-store"],
};
