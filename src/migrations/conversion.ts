import type { OpenTransaction } from "./in-locked-transaction.js";
import { sql } from "kysely";
import { isLockTimeout } from "../db/statements/lock-timeout.js";
import { toDatabaseError } from "../db/to-database-error.js";
import {
  DatabaseError,
  MigrationError,
  PermissionError,
  type IncompatibleTablesError,
} from "../errors/index.js";
import { migrateCommand } from "../db/migrate-command.js";

/** The number of rows of each table. A missing table has none. */
export type RowsOfTables<Name extends string> = Readonly<Record<Name, number>>;

/** Returns which of some tables exist, in their order. */
export async function presentTables<Name extends string>(
  transaction: OpenTransaction,
  schema: string,
  tables: readonly Name[],
): Promise<Name[]> {
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${tables}::text[]) name
    where to_regclass(format('%I.%I', ${schema}::text, name)) is not null`.execute(transaction);
  return tables.filter((table) => rows.some(({ name }) => name === table));
}

/** Locks out all readers and writers of tables until the end of the transaction. */
export async function lockTables(
  transaction: OpenTransaction,
  schema: string,
  tables: readonly string[],
): Promise<void> {
  for (const table of tables)
    await sql`lock table ${sql.id(schema, table)} in access exclusive mode`.execute(transaction);
}

/** Counts the rows of tables that exist. */
export async function countRowsOfTables<Name extends string>(
  transaction: OpenTransaction,
  schema: string,
  tables: readonly Name[],
): Promise<Partial<RowsOfTables<Name>>> {
  const counts: Partial<Record<Name, number>> = {};
  for (const table of tables) {
    const { rows } = await sql<{ rows: number }>`
      select count(*)::float8 as rows from ${sql.id(schema, table)}`.execute(transaction);
    counts[table] = rows[0]?.rows ?? 0;
  }
  return counts;
}

/** @throws MigrationError naming a table that has not as many rows as before. */
export function requireAllRows(
  before: Readonly<Record<string, number>>,
  after: Readonly<Record<string, number>>,
): void {
  for (const [table, rows] of Object.entries(before)) {
    const left = after[table] ?? 0;
    if (rows === left) continue;
    throw new MigrationError(
      `table "${table}" had ${rows} rows before the conversion, and has ${left} after it`,
    );
  }
}

/** The error of a conversion that a statement has ended. */
export function conversionFailed(reason: unknown): Error {
  const cause = toDatabaseError(reason);
  // `inLockedTransaction` says which lock it was, and who holds it.
  if (isLockTimeout(cause) || cause instanceof PermissionError || !(cause instanceof DatabaseError))
    return cause;
  return new MigrationError(`the conversion failed, nothing was changed: ${cause.message}`, { cause });
}

type Layout = IncompatibleTablesError["layout"];

const OPTIONS: Readonly<Record<Layout, string | undefined>> = {
  "python-shallow": "--convert-shallow",
  "javascript-store": "--convert-store",
  partitions: undefined,
  unknown: undefined,
};

/** The command that converts the tables of another library. `undefined` if there is none. */
export function convertCommand(schema: string, layout: Layout): string | undefined {
  const option = OPTIONS[layout];
  return option === undefined ? undefined : `${migrateCommand(schema)} ${option}`;
}
