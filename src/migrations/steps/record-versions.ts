import type { Kysely } from "kysely";
import { MigrationError } from "../../errors/index.js";
import type { MigratedTables } from "./step.js";

/** The tables in which other libraries record their migrations. */
export type VersionTable = "checkpoint_migrations" | "store_migrations" | "vector_migrations";

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
