import type { Tables } from "./in-locked-transaction.js";
import { type Dialect, Kysely, type RawBuilder, sql } from "kysely";
import { MigrationError } from "../errors/index.js";
import { oidOf } from "./catalog-expressions.js";
import type { MigrationSet } from "./migration-set.js";
import type { MigratedTables } from "./steps/step.js";
import { migrateCommand, quoted } from "../db/migrate-command.js";

/** The tables of a set that have been dropped. */
export interface MissingTables {
  /** The tables that do not exist, although the steps that create them are recorded. */
  readonly missing: readonly string[];
  /** Those recorded steps, and all after them. They are pending. */
  readonly repeated: readonly string[];
}

/** An expression for those tables of a set that do not exist. */
export function absentTables(schema: string, set: MigrationSet): RawBuilder<string[]> {
  return sql<string[]>`array(
    select name from unnest(${Object.keys(createdBy(set))}::text[]) as tables (name)
    where to_regclass(format('%I.%I', ${schema}::text, name)) is null)`;
}

/**
 * @param absent - The tables that {@link absentTables} returned.
 * @param recorded - The recorded steps.
 */
export function missingOf(
  set: MigrationSet,
  absent: readonly string[],
  recorded: readonly string[],
): MissingTables {
  const creators = createdBy(set);
  const missing = absent.filter((table) => recorded.includes(creators[table] ?? ""));
  const first = missing.map((table) => creators[table] ?? "").sort()[0];
  const repeated = Object.keys(set.steps).filter(
    (step) => first !== undefined && step >= first && recorded.includes(step),
  );
  return { missing, repeated };
}

/**
 * Refuses to create tables again, empty, where that would hide that rows are lost.
 *
 * @throws MigrationError that names the table and the remedy.
 */
export async function refuseToRecreate(
  db: Tables,
  schema: string,
  { record, together = [], referencedBy = [] }: MigrationSet,
  { missing, unknown }: Pick<MissingTables, "missing"> & { readonly unknown: readonly string[] },
): Promise<void> {
  const [table] = missing;
  if (table === undefined) return;
  const refuse = (reason: string, remedy: string): MigrationError =>
    new MigrationError(`${describeMissingTable(table)}, and ${reason}. Nothing was changed: ${remedy}`);
  if (unknown.length > 0) {
    throw refuse("a newer version of this library has created it", "migrate with that version");
  }
  for (const other of together.includes(table) ? together : []) {
    if (missing.includes(other) || !(await isTrue(db, sql`exists (select from ${sql.id(schema, other)})`)))
      continue;
    throw refuse(`rows of "${other}" can't be used without it`, remedyOfMissing(schema, record));
  }
  for (const other of referencedBy) {
    if (!(await isTrue(db, sql`${oidOf(schema, other)} is not null`))) continue;
    throw refuse(
      `"${other}" needs its rows`,
      `restore it from a backup; or drop "${other}" as well, and migrate again`,
    );
  }
}

async function isTrue(db: Tables, condition: RawBuilder<unknown>): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select ${condition} as found`.execute(db);
  return rows[0]?.found === true;
}

/** Runs the steps again that create missing tables. Each of them leaves alone what is there. */
export async function repeatSteps(
  dialect: Dialect,
  schema: string,
  { steps }: MigrationSet,
  { repeated }: Pick<MissingTables, "repeated">,
): Promise<void> {
  const db = new Kysely<MigratedTables>({ dialect });
  for (const name of repeated) await steps[name]?.up(db.withSchema(schema), schema);
}

/** The tables of a set, each with the step that creates it. */
function createdBy({ tables, steps, laterTables = {} }: MigrationSet): Readonly<Record<string, string>> {
  const [first = ""] = Object.keys(steps);
  const creators: Record<string, string> = {};
  for (const table of Object.keys(tables)) creators[table] = first;
  for (const [table, { step }] of Object.entries(laterTables)) creators[table] = step;
  return creators;
}

/**
 * What to do where a table has been dropped.
 *
 * @param record - The table of the applied migrations, where the table is not created again by itself.
 */
export function remedyOfMissing(schema: string, record?: string): string {
  const forget = record === undefined ? "" : `delete from ${quoted(schema, record)}, then `;
  return `restore it from a backup; or create an empty one: ${forget}${migrateCommand(schema)}`;
}

/** Says that a table is missing. */
export function describeMissingTable(table: string): string {
  return `table "${table}" does not exist, although its migration is recorded as applied`;
}
