import { type Kysely, sql } from "kysely";
import type { CheckpointDatabase } from "../db/checkpoint-database.js";
import { toDatabaseError } from "../db/to-database-error.js";
import { MIGRATION_TABLE } from "./migrator.js";
import { columnsOfTables, incompatibilityOf } from "./incompatible-tables.js";
import { MIGRATION_NAMES } from "./steps/index.js";

/** The migration status of a schema. */
export interface MigrationStatus {
  /** The name of the schema. */
  readonly schema: string;
  /** The applied steps, oldest first. */
  readonly applied: readonly string[];
  /** The steps of this version of the library that are not applied, oldest first. */
  readonly pending: readonly string[];
  /** Applied steps that this version of the library does not have: a newer version has migrated the schema. */
  readonly unknown: readonly string[];
  /** The highest recorded migration of the official savers; `null` if there is none. */
  readonly officialVersion: number | null;
}

interface Catalog {
  columns: string[];
  recordReadable: boolean;
  officialReadable: boolean;
  tablesComplete: boolean;
  adoptable: boolean;
}

const NOTHING: Catalog = {
  columns: [],
  recordReadable: false,
  officialReadable: false,
  tablesComplete: false,
  adoptable: false,
};

/**
 * Returns which migration steps have run in a schema. Only reads, also in a transaction that the caller passed in, and needs
 * only the privilege to read the tables.
 *
 * @example
 * ```ts
 * const { pending } = await migrationStatus(db, { schema: "agents" });
 * if (pending.length > 0) throw new Error(`database is behind: ${pending.join(", ")}`);
 * ```
 * @throws IncompatibleTablesError if the schema has tables of other columns with the same names.
 * @throws DatabaseError if the database can't be reached.
 */
export async function migrationStatus(
  db: Kysely<CheckpointDatabase>,
  options: { readonly schema?: string } = {},
): Promise<MigrationStatus> {
  const schema = options.schema ?? "public";
  const plain = db.withoutPlugins();
  try {
    const catalog = await readCatalog(plain, schema);
    const refusal = incompatibilityOf(schema, catalog.columns);
    if (refusal !== undefined) throw refusal;
    const applied = catalog.recordReadable ? await readRecord(plain, schema) : assumeApplied(catalog);
    return {
      schema,
      applied,
      pending: MIGRATION_NAMES.filter((name) => !applied.includes(name)),
      unknown: applied.filter((name) => !MIGRATION_NAMES.includes(name)),
      officialVersion: catalog.officialReadable ? await readOfficialVersion(plain, schema) : null,
    };
  } catch (error) {
    throw toDatabaseError(error);
  }
}

/**
 * Infers the applied steps for a role that may read the tables, but not the recorded migrations. The catalog, which every
 * role may read, shows whether the tables have the columns that our statements need. The compression of values does not count
 * here: it is left to a role that may alter the tables.
 */
function assumeApplied({ tablesComplete, adoptable }: Catalog): readonly string[] {
  return tablesComplete && !adoptable ? MIGRATION_NAMES : [];
}

// Reads the catalog first: a query on a missing table would abort a transaction that the caller passed in.
async function readCatalog(db: Kysely<CheckpointDatabase>, schema: string): Promise<Catalog> {
  const table = (name: string) => sql<string>`format('%I.%I', ${schema}::text, ${name}::text)`;
  const readable = (name: string) =>
    sql<boolean>`coalesce(has_table_privilege(to_regclass(${table(name)})::oid, 'select'), false)`;
  const column = (name: string, attribute: string) => sql<boolean>`exists (
    select from pg_attribute
    where attrelid = to_regclass(${table(name)})::oid and attname = ${attribute} and not attisdropped
  )`;
  const nullable = (name: string, attribute: string) => sql<boolean>`exists (
    select from pg_attribute
    where attrelid = to_regclass(${table(name)})::oid and attname = ${attribute} and not attnotnull
  )`;
  const tables = sql.join(
    ["checkpoints", "checkpoint_blobs", "checkpoint_writes"].map((name) => sql`to_regclass(${table(name)})`),
  );
  const { rows } = await sql<Catalog>`
    select
      ${columnsOfTables(schema)} as "columns",
      ${readable(MIGRATION_TABLE)} as "recordReadable",
      ${readable("checkpoint_migrations")} as "officialReadable",
      ${column("checkpoints", "metadata")}
        and ${nullable("checkpoint_blobs", "blob")}
        and ${column("checkpoint_writes", "task_path")} as "tablesComplete",
      to_regclass(${table(MIGRATION_TABLE)}) is null
        and coalesce(has_schema_privilege(to_regnamespace(format('%I', ${schema}::text))::oid, 'create'), false)
        and (select coalesce(bool_and(pg_has_role(relowner, 'usage')), false) from pg_class where oid in (${tables}))
        as "adoptable"`.execute(db);
  return rows[0] ?? NOTHING;
}

async function readRecord(db: Kysely<CheckpointDatabase>, schema: string): Promise<string[]> {
  const rows = await db
    .withSchema(schema)
    .selectFrom(MIGRATION_TABLE)
    .select("name")
    .orderBy("name")
    .execute();
  return rows.map((row) => row.name);
}

async function readOfficialVersion(db: Kysely<CheckpointDatabase>, schema: string): Promise<number | null> {
  const row = await db
    .withSchema(schema)
    .selectFrom("checkpoint_migrations")
    .select((eb) => eb.fn.max("v").as("v"))
    .executeTakeFirst();
  return row?.v ?? null;
}
