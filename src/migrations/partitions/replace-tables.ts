import { sql, type Transaction } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { readCarriedOver } from "./carried-over.js";
import type { TableState } from "./conversion-state.js";
import { refuseDependents } from "./dependents.js";
import { mirrorName, nextName, PROGRESS_TABLE, truncateMirrorName } from "./converted-tables.js";

/**
 * Puts the replacements into the places of the tables, and drops the old ones. It locks out all readers and writers for as long as
 * the catalog takes. Postgres removes the files after it has released the locks.
 *
 * @returns Whether it did. Not if `isReady` finds, when the tables are locked, that they have changed meanwhile.
 */
export async function replaceTables(
  db: Transaction<CheckpointDatabase>,
  schema: string,
  tables: readonly TableState[],
  isReady: () => Promise<boolean>,
): Promise<boolean> {
  const locked = sql.join(tables.map(({ table }) => sql.id(schema, table.name)));
  await sql`lock table ${locked} in access exclusive mode`.execute(db);
  if (!(await isReady())) return false;
  // Some of them would not keep the table from being dropped.
  await refuseDependents(db, schema, tables);
  const statements: string[] = [];
  for (const { table } of tables) statements.push(...(await readCarriedOver(db, schema, table)));
  // In one statement, since policies of one table may read another one.
  await sql`drop table ${sql.join(tables.map(({ table }) => sql.id(schema, table.name)))}`.execute(db);
  for (const { table } of tables) {
    await sql`alter table ${sql.id(schema, nextName(table))} rename to ${sql.id(table.name)}`.execute(db);
  }
  for (const statement of statements) await sql.raw(statement).execute(db);
  await dropMirrors(db, schema, tables);
  return true;
}

/** Gives a conversion up: drops the triggers, in the order of writers (C2), and the replacements. The tables stay as they are. */
export async function dropReplacements(
  db: Transaction<CheckpointDatabase>,
  schema: string,
  tables: readonly TableState[],
): Promise<void> {
  for (const { table } of tables) {
    for (const name of [mirrorName(table), truncateMirrorName(table)]) {
      await sql`drop trigger if exists ${sql.id(name)} on ${sql.id(schema, table.name)}`.execute(db);
    }
    await db.withSchema(schema).schema.dropTable(nextName(table)).ifExists().execute();
  }
  await dropMirrors(db, schema, tables);
}

async function dropMirrors(
  db: Transaction<CheckpointDatabase>,
  schema: string,
  tables: readonly TableState[],
): Promise<void> {
  for (const { table } of tables) {
    await sql`drop function if exists ${sql.id(schema, mirrorName(table))}()`.execute(db);
  }
  await db.withSchema(schema).schema.dropTable(PROGRESS_TABLE).ifExists().execute();
}
