import type { Tables } from "./in-locked-transaction.js";
import { type Kysely, type RawBuilder, sql } from "kysely";
import { type CallContext, commandsWithoutPolicy } from "../db/call-context.js";
import type { CheckpointDatabase } from "../db/checkpoint-database.js";
import { readList, selectedList } from "../db/selected-list.js";
import { hasNodes, rememberOneServer } from "../db/placement/placement.js";
import { Statement } from "../db/statements/statement.js";
import { toDatabaseError } from "../db/to-database-error.js";
import { DatabaseError } from "../errors/index.js";
import { plainKysely } from "../db/kysely/plain-kysely.js";
import { oidOf } from "./catalog-expressions.js";
import { refusalOf, storedTables, otherPartitionKeys, refusalOfKeys } from "./incompatible-tables.js";
import type { MigrationSet, OptionalTables } from "./migration-set.js";
import { absentTables, type MissingTables, missingOf } from "./missing-tables.js";
import { presentSets } from "./sets.js";

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
  /** Tables that do not exist, although their migration is recorded: someone has dropped them. The steps that create them are pending. */
  readonly missing: readonly string[];
  /** The highest recorded migration of the official savers; `null` if there is none. */
  readonly officialVersion: number | null;
}

/** Which steps of a set have run. */
export interface SetStatus extends Pick<MigrationStatus, "applied" | "pending" | "unknown">, MissingTables {}

/** The options of {@link migrationStatus}. */
export interface MigrationStatusOptions {
  /** The schema that holds the tables. Default: `public`. */
  readonly schema?: string;
  /** The optional tables that the schema should have. Those that it has count anyway. Default: none. */
  readonly with?: readonly OptionalTables[];
  /** The table of the checkpoint store, where it has another name than `checkpoint_store`. */
  readonly checkpointTable?: string | undefined;
}

interface Catalog {
  /** Lists, as `selectedList` selects them. */
  tables: string | null;
  otherKeys: string | null;
  absent: string | null;
  recordReadable: boolean;
  tablesComplete: boolean;
  adoptable: boolean;
}

/**
 * Returns which migration steps have run in a schema. Only reads, also in a transaction that the caller passed in, and needs
 * only the privilege to read the tables.
 *
 * @example
 * ```ts
 * const { pending } = await migrationStatus(db, { schema: "agents" });
 * if (pending.length > 0) throw new Error(`database is behind: ${pending.join(", ")}`);
 * ```
 * @throws IncompatibleTablesError if the schema has tables of other columns with the same names, or tables of savers that are
 *   partitioned by another column than `thread_id`.
 * @throws DatabaseError if the database can't be reached.
 */
export async function migrationStatus(
  db: Kysely<CheckpointDatabase>,
  options: MigrationStatusOptions = {},
): Promise<MigrationStatus> {
  const { schema = "public" } = options;
  const plain = plainKysely(db);
  try {
    const found: SetStatus[] = [];
    for (const set of await presentSets(plain, schema, options))
      found.push(await readStatus(plain, schema, set));
    return {
      schema,
      applied: found.flatMap(({ applied }) => applied),
      pending: found.flatMap(({ pending }) => pending),
      unknown: found.flatMap(({ unknown }) => unknown),
      missing: found.flatMap(({ missing }) => missing),
      officialVersion: await readOfficialVersion(plain, schema),
    };
  } catch (error) {
    throw toDatabaseError(error);
  }
}

/** Returns which steps of one set have run; see {@link migrationStatus}. */
export async function setStatus(db: Tables, schema: string, set: MigrationSet): Promise<SetStatus> {
  try {
    return await readStatus(plainKysely(db), schema, set);
  } catch (error) {
    throw toDatabaseError(error);
  }
}

async function readStatus(db: Tables, schema: string, set: MigrationSet): Promise<SetStatus> {
  const catalog = await readCatalog(db, schema, set);
  const recorded = catalog.recordReadable ? await readRecord(db, schema, set) : undefined;
  return statusBy(schema, set, catalog, recorded);
}

/**
 * Whether the tables of a set are as this version needs them. It asks in one round trip, and waits for no lock: where it doesn't know, as
 * for a record that is missing or locked, it returns false.
 */
export async function isCurrent(call: CallContext, set: MigrationSet): Promise<boolean> {
  const { database, schema, policy, signal } = call;
  // There, a statement that fails would end the transaction of the caller.
  if (database.kysely.isTransaction) return false;
  const status = new Statement<object, CatalogWithRecord>((db) =>
    db.selectFrom(catalogWithRecord(schema, set).as<"status">(sql`status`)).selectAll(),
  );
  const limits = { signal, statementTimeoutMs: policy.statementTimeoutMs, lockTimeoutMs: 1 };
  try {
    const [found] = await database.execute(status.bind(schema, {}), limits);
    if (found?.has_nodes === false) rememberOneServer(call);
    return found !== undefined && statusBy(schema, set, found, readList(found.recorded)).pending.length === 0;
  } catch (error) {
    const failure = toDatabaseError(error);
    if (failure instanceof DatabaseError && failure.sqlState !== undefined) return false;
    throw failure;
  }
}

/** @param recorded - The steps that are recorded. Absent where the role may not read them. */
function statusBy(
  schema: string,
  set: MigrationSet,
  catalog: Catalog,
  recorded: readonly string[] | undefined,
): SetStatus {
  const refusal =
    refusalOf(schema, set, readList(catalog.tables)) ??
    refusalOfKeys(schema, set, readList(catalog.otherKeys));
  if (refusal !== undefined) throw refusal;
  const names = Object.keys(set.steps);
  const found = recorded ?? assumeApplied(catalog, names);
  const { missing, repeated } = missingOf(set, readList(catalog.absent), recorded ?? []);
  const applied = found.filter((name) => !repeated.includes(name));
  return {
    applied,
    pending: names.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !names.includes(name)),
    ...{ missing, repeated },
  };
}

/**
 * Infers the applied steps for a role that may read the tables, but not the recorded migrations. The catalog, which every
 * role may read, shows whether the tables have the columns that our statements need. The compression of values does not count
 * here: it is left to a role that may alter the tables.
 */
function assumeApplied({ tablesComplete, adoptable }: Catalog, names: readonly string[]): readonly string[] {
  return tablesComplete && !adoptable ? names : [];
}

// Reads the catalog first: a query on a missing table would abort a transaction that the caller passed in.
async function readCatalog(db: Tables, schema: string, set: MigrationSet): Promise<Catalog> {
  const { rows } = await sql<Catalog>`select ${catalogOf(schema, set)}`.execute(db);
  const nothing = { tables: null, otherKeys: null, absent: null };
  return rows[0] ?? { ...nothing, recordReadable: false, tablesComplete: false, adoptable: false };
}

interface CatalogWithRecord extends Catalog {
  recorded: string | null;
  has_nodes: boolean;
}

function catalogWithRecord(schema: string, set: MigrationSet): RawBuilder<CatalogWithRecord> {
  const recorded = sql<string[]>`array(select name from ${sql.id(schema, set.record)} order by name)`;
  return sql<CatalogWithRecord>`(select ${catalogOf(schema, set)},
      ${selectedList(recorded)} as "recorded", ${hasNodes()} as "has_nodes")`;
}

/** The columns of a {@link Catalog}. */
function catalogOf(schema: string, set: MigrationSet): RawBuilder<unknown> {
  const tables = sql.join(Object.keys(set.tables).map((name) => oidOf(schema, name)));
  return sql`
      ${selectedList(storedTables(schema, set))} as "tables",
      ${selectedList(otherPartitionKeys(schema, set))} as "otherKeys",
      ${selectedList(absentTables(schema, set))} as "absent",
      ${isReadable(schema, set.record)} as "recordReadable",
      ${set.isComplete(schema)} as "tablesComplete",
      ${oidOf(schema, set.record)} is null
        and coalesce(has_schema_privilege(to_regnamespace(format('%I', ${schema}::text))::oid, 'create'), false)
        and (select coalesce(bool_and(pg_has_role(relowner, 'usage')), false) from pg_class where oid in (${tables}))
        as "adoptable"`;
}

/** An expression for whether the role sees the rows of a table. Row-level security without a policy hides them all. */
function isReadable(schema: string, table: string): RawBuilder<boolean> {
  const oid = oidOf(schema, table);
  return sql<boolean>`(coalesce(has_table_privilege(${oid}, 'select'), false)
    and not coalesce('select' = any (${commandsWithoutPolicy(oid)}), false))`;
}

async function readRecord(db: Tables, schema: string, { record }: MigrationSet): Promise<string[]> {
  const { rows } = await sql<{
    name: string;
  }>`select name from ${sql.id(schema, record)} order by name`.execute(db);
  return rows.map((row) => row.name);
}

/** Returns the highest recorded migration of the official savers; `null` if there is none. */
export async function readOfficialVersion(db: Tables, schema: string): Promise<number | null> {
  const { rows } = await sql<{ readable: boolean }>`
    select ${isReadable(schema, "checkpoint_migrations")} as readable`.execute(db);
  if (rows[0]?.readable !== true) return null;
  const row = await db
    .withSchema(schema)
    .selectFrom("checkpoint_migrations")
    .select((eb) => eb.fn.max("v").as("v"))
    .executeTakeFirst();
  return row?.v ?? null;
}
