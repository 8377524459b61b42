import { type Kysely, sql } from "kysely";
import type { MigratedTables, MigrationStep } from "./step.js";

const TABLES = ["checkpoint_blobs", "checkpoint_writes"] as const;

/** The compression methods of a column, as the catalog stores them. */
const COMPRESSION = { notSet: "", lz4: "l" } as const;

/**
 * Compresses new values with LZ4 if the server was built with it: the default, pglz, takes most of the time of storing a large
 * value. The step changes only the catalog; stored rows stay as they are. A column with a compression method of its own is left
 * unchanged.
 */
export const compressByLz4: MigrationStep = {
  async up(db, schema) {
    if (!(await hasLz4(db))) return;
    for (const table of TABLES) {
      // A plan runs before the tables exist.
      const compression = (await compressionOf(db, schema, table)) ?? COMPRESSION.notSet;
      if (compression === COMPRESSION.notSet) await setCompression(db, schema, table, "lz4");
    }
  },

  async down(db, schema) {
    for (const table of TABLES) {
      const compression = await compressionOf(db, schema, table);
      if (compression === COMPRESSION.lz4) await setCompression(db, schema, table, "default");
    }
  },
};

/** Distributions and cloud providers build PostgreSQL with LZ4. Some small builds lack it. */
async function hasLz4(db: Kysely<MigratedTables>): Promise<boolean> {
  const setting = await db
    .selectFrom("pg_catalog.pg_settings")
    .select("name")
    .where("name", "=", "default_toast_compression")
    .where((eb) => eb(eb.val("lz4"), "=", eb.fn.any("enumvals")))
    .executeTakeFirst();
  return setting !== undefined;
}

async function compressionOf(
  db: Kysely<MigratedTables>,
  schema: string,
  table: string,
): Promise<string | undefined> {
  const column = await db
    .selectFrom("pg_catalog.pg_attribute as column")
    .innerJoin("pg_catalog.pg_class as table", "table.oid", "column.attrelid")
    .innerJoin("pg_catalog.pg_namespace as schema", "schema.oid", "table.relnamespace")
    .select("column.attcompression")
    .where("schema.nspname", "=", schema)
    .where("table.relname", "=", table)
    .where("column.attname", "=", "blob")
    .executeTakeFirst();
  return column?.attcompression;
}

// Kysely's builder does not support this statement.
async function setCompression(
  db: Kysely<MigratedTables>,
  schema: string,
  table: string,
  method: "lz4" | "default",
): Promise<void> {
  const change = sql`alter table ${sql.id(schema, table)} alter column ${sql.id("blob")}`;
  await sql`${change} set compression ${sql.raw(method)}`.execute(db);
}
