import { type Kysely, sql } from "kysely";
import type { CheckpointDatabase } from "../db/checkpoint-database.js";
import { toDatabaseError } from "../db/to-database-error.js";
import { MIGRATION_TABLE } from "./migrator.js";
import { columnsOfTables, refusalOf } from "./refuse-incompatible-tables.js";
import { MIGRATION_NAMES } from "./steps/index.js";

/** How far a schema has come. */
export interface MigrationStatus {
  /** The schema that was asked about. */
  readonly schema: string;
  /** The steps that have run there, oldest first. */
  readonly applied: readonly string[];
  /** The steps of this version of the library that have not run there, oldest first. */
  readonly pending: readonly string[];
  /** Steps on record that this version of the library does not know: it is older than the database. */
  readonly unknown: readonly string[];
  /** The highest migration of the official savers, `null` where none ever ran. */
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
 * Tells which migration steps have run in a schema. Reads only, in a lent transaction too, and needs no privilege
 * beyond reading the tables.
 *
 * @example
 * ```ts
 * const { pending } = await migrationStatus(db, { schema: "agents" });
 * if (pending.length > 0) throw new Error(`database is behind: ${pending.join(", ")}`);
 * ```
 * @throws IncompatibleTablesError when the schema has tables of our names that are not ours.
 * @throws DatabaseError when the database can't be reached.
 */
export async function migrationStatus(
  db: Kysely<CheckpointDatabase>,
  options: { readonly schema?: string } = {},
): Promise<MigrationStatus> {
  const schema = options.schema ?? "public";
  const plain = db.withoutPlugins();
  try {
    const catalog = await readCatalog(plain, schema);
    const refusal = refusalOf(schema, catalog.columns);
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
 * A role may have been granted the three tables and not the record of migrations. The catalog, which everyone may
 * read, then tells whether the tables have what our statements need. How values are compressed is not part of that, so
 * tables of an official saver that have no record yet are left to a role that may change them.
 */
function assumeApplied({ tablesComplete, adoptable }: Catalog): readonly string[] {
  return tablesComplete && !adoptable ? MIGRATION_NAMES : [];
}

// Asks the catalog first, since a query that fails would abort a transaction that we were lent.
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
