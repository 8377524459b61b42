import { type Kysely, sql, type Transaction } from "kysely";
import type { CheckpointDatabase } from "../db/checkpoint-database.js";
import { plainKysely } from "../db/kysely/plain-kysely.js";
import { MigrationError } from "../errors/index.js";
import { conversionFailed, countRows, lockTables, presentTables, requireAllRows } from "./conversion.js";
import { DEFAULT_LOCK_TIMEOUT_MS } from "./default-lock-timeout.js";
import { findIncompatibleTables } from "./incompatible-tables.js";
import { inLockedTransaction } from "./in-locked-transaction.js";
import { type MigrateOptions, migrateToLatest } from "./migrate.js";
import type { OptionalTables } from "./migration-set.js";
import { addItemReference, convertVectors, dropItemReference } from "./official-vectors.js";
import { optionalSets } from "./sets.js";
import type { VectorLayout } from "./vector-layout.js";
import { withRowSecurityOff } from "./with-row-security-off.js";

/** The result of converting the tables of the official JavaScript store. */
export interface StoreConversion {
  /** The number of items, the same as before. */
  readonly items: number;
  /** The number of embeddings, the same as before. */
  readonly embeddings: number;
  /** The migration steps that ran after the conversion, oldest first. */
  readonly applied: readonly string[];
}

/** In the order in which every writer locks them. */
const TABLES = ["store", "store_vectors"] as const;

/** The indexes that the conversion drops. Those of this library serve the same queries, and more. */
const SUPERSEDED_INDEXES = ["idx_store_namespace_path", "idx_store_value_gin"];

const TRIGGER = "update_store_updated_at";
const TRIGGER_FUNCTION = "update_updated_at_column";

/** How many namespaces that can't be converted are named. */
const MAX_NAMED = 10;

/**
 * Converts the tables of the official JavaScript `PostgresStore` to those of this library and Python's `PostgresStore`, and migrates them to
 * the newest version. Items keep their values, times and expiry, and embeddings stay. The conversion runs in one transaction: if it
 * fails, nothing is changed.
 *
 * Stop the services that use the tables first: the conversion locks and rewrites them, and the official store can't use them
 * afterwards.
 *
 * That store joins the labels of a namespace by colons, this library by periods. So it refuses a label that contains a period. A label that
 * contained a colon has always been read as two labels there, and stays so.
 *
 * The own TTL of an item is unknown there, so a read does not start the time of such an item again. Its embeddings have no hash of their
 * texts, so the next write of the item makes them again.
 *
 * @param db - A Kysely on the database, or a transaction, which the caller then commits.
 * @param options - Also the optional tables to create. The layout of existing embeddings is read from their table.
 * @returns The number of rows after the conversion.
 * @throws IncompatibleTablesError if a table with the name of the store belongs to no LangGraph store.
 * @throws MigrationError if the schema has no tables of the official store, if the labels of some namespaces contain a period or are empty,
 *   which it names, or if a statement fails.
 * @throws PermissionError if the role may not change the tables.
 *
 * @example
 * ```ts
 * const { items, embeddings } = await convertStoreTables(db, { schema: "agents" });
 * ```
 */
export async function convertStoreTables(
  db: Kysely<CheckpointDatabase>,
  options: MigrateOptions = {},
): Promise<StoreConversion> {
  const { schema = "public", lockTimeoutMs = DEFAULT_LOCK_TIMEOUT_MS } = options;
  return inLockedTransaction(plainKysely(db), schema, lockTimeoutMs, (transaction) =>
    withRowSecurityOff(transaction, async () => {
      await requireOfficialTables(transaction, schema);
      const { vectors, ...rows } = await convert(transaction, schema).catch((reason: unknown) => {
        throw conversionFailed(reason);
      });
      const found: readonly OptionalTables[] = vectors === undefined ? ["store"] : ["store", "vectors"];
      const applied = await migrateToLatest(transaction, {
        ...options,
        with: [...(options.with ?? []), ...found],
        vectors: vectors ?? options.vectors,
      });
      return { ...rows, applied };
    }),
  );
}

type Db = Transaction<CheckpointDatabase>;

async function requireOfficialTables(db: Db, schema: string): Promise<void> {
  const found = await findIncompatibleTables(db, schema, optionalSets().store);
  if (found === undefined) {
    throw new MigrationError(
      `schema "${schema}" has no tables of the official JavaScript PostgresStore: there is nothing to convert`,
    );
  }
  if (found.layout !== "javascript-store") throw found;
}

interface Converted extends Omit<StoreConversion, "applied"> {
  /** What the embeddings are like. `undefined` if there is no table of them. */
  readonly vectors: VectorLayout | undefined;
}

async function convert(db: Db, schema: string): Promise<Converted> {
  const tables = await presentTables(db, schema, TABLES);
  await lockTables(db, schema, tables);
  await requireExactNamespaces(db, schema);
  const before = await countRows(db, schema, tables);
  const hasVectors = tables.includes("store_vectors");
  if (hasVectors) await dropItemReference(db, schema);
  await convertItems(db, schema);
  const vectors = hasVectors ? await convertVectors(db, schema) : undefined;
  for (const table of tables) {
    await sql`update ${sql.id(schema, table)} set prefix = replace(prefix, ':', '.')
      where prefix like '%:%'`.execute(db);
  }
  if (hasVectors) await addItemReference(db, schema);
  // The steps record what they do for Python's store, whose versions are others.
  await sql`delete from ${sql.id(schema, "store_migrations")}`.execute(db);
  const after = await countRows(db, schema, tables);
  requireAllRows(before, after);
  return { items: after.store ?? 0, embeddings: after.store_vectors ?? 0, vectors };
}

/** @throws MigrationError naming namespaces that would become others, or that no store could use. */
async function requireExactNamespaces(db: Db, schema: string): Promise<void> {
  const { rows } = await sql<{ path: string }>`
    select distinct namespace_path as path from ${sql.id(schema, "store")}
    where namespace_path like '%.%' or namespace_path = '' or namespace_path ~ '^:|::|:$'
    order by 1 limit ${MAX_NAMED + 1}`.execute(db);
  if (rows.length === 0) return;
  const named = rows.slice(0, MAX_NAMED).map(({ path }) => JSON.stringify(path));
  const others = rows.length > MAX_NAMED ? " and others" : "";
  throw new MigrationError(
    `the namespaces ${named.join(", ")}${others} have a label that is empty or contains a period, which joins labels here: ` +
      "give their items other namespaces first",
  );
}

async function convertItems(db: Db, schema: string): Promise<void> {
  const table = sql.id(schema, "store");
  // First, since it would change the times of all items.
  await sql`drop trigger if exists ${sql.id(TRIGGER)} on ${table}`.execute(db);
  await dropUnusedFunction(db, schema);
  for (const index of SUPERSEDED_INDEXES)
    await sql`drop index if exists ${sql.id(schema, index)}`.execute(db);
  await sql`alter table ${table} rename column namespace_path to prefix`.execute(db);
}

/** Its name is a common one: triggers of the application may use it, or another role may own it. */
async function dropUnusedFunction(db: Db, schema: string): Promise<void> {
  const { rows } = await sql`
    select from pg_proc
    where oid = to_regproc(format('%I.%I', ${schema}::text, ${TRIGGER_FUNCTION}::text))
      and pg_has_role(proowner, 'usage')
      and not exists (select from pg_depend where refclassid = 'pg_proc'::regclass and refobjid = pg_proc.oid)`.execute(
    db,
  );
  if (rows.length > 0) await sql`drop function ${sql.id(schema, TRIGGER_FUNCTION)}()`.execute(db);
}
