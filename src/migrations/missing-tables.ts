import { type Dialect, Kysely, type RawBuilder, sql } from "kysely";
import type { CheckpointDatabase } from "../db/checkpoint-database.js";
import { MigrationError } from "../errors/index.js";
import { oidOf } from "./catalog-expressions.js";
import { describeMissing, remedyOfMissing } from "./describe-missing.js";
import type { MigrationSet } from "./migration-set.js";
import type { MigratedTables } from "./steps/step.js";

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
  db: Kysely<CheckpointDatabase>,
  schema: string,
  { record, together = [], referencedBy = [] }: MigrationSet,
  { missing, unknown }: Pick<MissingTables, "missing"> & { readonly unknown: readonly string[] },
): Promise<void> {
  const [table] = missing;
  if (table === undefined) return;
  const refuse = (reason: string, remedy: string): MigrationError =>
    new MigrationError(`${describeMissing(table)}, and ${reason}. Nothing was changed: ${remedy}`);
  if (unknown.length > 0) {
    throw refuse("a newer version of this library has created it", "migrate with that version");
  }
  for (const other of together.includes(table) ? together : []) {
    if (missing.includes(other) || !(await hasRows(db, schema, other))) continue;
    throw refuse(`rows of "${other}" can't be used without it`, remedyOfMissing(schema, record));
  }
  for (const other of referencedBy) {
    if (!(await exists(db, schema, other))) continue;
    throw refuse(
      `"${other}" needs its rows`,
      `restore it from a backup; or drop "${other}" as well, and migrate again`,
    );
  }
}

async function hasRows(db: Kysely<CheckpointDatabase>, schema: string, table: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from ${sql.id(schema, table)}) as found`.execute(db);
  return rows[0]?.found === true;
}

async function exists(db: Kysely<CheckpointDatabase>, schema: string, table: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select ${oidOf(schema, table)} is not null as found`.execute(
    db,
  );
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
