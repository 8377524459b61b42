import { type Kysely, sql } from "kysely";
import { MigrationError } from "../../errors/index.js";

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
  checkpoint_conversations: { thread_id: string };
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
const KEY_COLLATION = "C";

/** The type of every key. */
export const KEY_TYPE = sql`text collate ${sql.ref(KEY_COLLATION)}`;

/** The tables in which other libraries record their migrations. */
type VersionTable = "checkpoint_migrations" | "store_migrations" | "vector_migrations";

/**
 * Records migrations of other libraries as done, in their own table, so that their `setup()` does nothing.
 *
 * Both official savers use the same table. From 5 on, its versions are those of Python's saver, so that the JavaScript saver would
 * skip future migrations with the numbers 5 to 9. It would skip them in every database that Python's saver has set up, too.
 */
export async function recordVersions(
  db: Kysely<MigratedTables>,
  table: VersionTable,
  versions: readonly number[],
): Promise<void> {
  await db
    .insertInto(table)
    .values(versions.map((v) => ({ v })))
    .onConflict((conflict) => conflict.column("v").doNothing())
    .execute();
}

/** Removes the records. The other library would run these migrations again. */
export async function forgetVersions(
  db: Kysely<MigratedTables>,
  table: VersionTable,
  versions: readonly number[],
): Promise<void> {
  const highest = Math.max(...versions);
  const newer = await db.selectFrom(table).select("v").where("v", ">", highest).executeTakeFirst();
  if (newer !== undefined) {
    throw new MigrationError(
      `an official library has migrated this database to version ${newer.v} of "${table}", which builds on version ${highest}`,
    );
  }
  await db.deleteFrom(table).where("v", "in", versions).execute();
}
