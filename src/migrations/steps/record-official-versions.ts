import type { Kysely } from "kysely";
import { MigrationError } from "../../errors/index.js";
import type { MigratedTables } from "./step.js";

/**
 * Records migrations of the official savers as done, in their own table, so that `setup()` of either saver does nothing.
 *
 * Both savers use the same table. From 5 on, the versions are those of Python's saver, so that the JavaScript saver would skip
 * future migrations with the numbers 5 to 9. It would skip them in every database that Python's saver has set up, too.
 */
export async function recordOfficialVersions(
  db: Kysely<MigratedTables>,
  versions: readonly number[],
): Promise<void> {
  await db
    .insertInto("checkpoint_migrations")
    .values(versions.map((v) => ({ v })))
    .onConflict((conflict) => conflict.column("v").doNothing())
    .execute();
}

/** Removes the records. An official saver would run these migrations again. */
export async function forgetOfficialVersions(
  db: Kysely<MigratedTables>,
  versions: readonly number[],
): Promise<void> {
  const highest = Math.max(...versions);
  const newer = await db
    .selectFrom("checkpoint_migrations")
    .select("v")
    .where("v", ">", highest)
    .executeTakeFirst();
  if (newer !== undefined) {
    throw new MigrationError(
      `an official saver has migrated this database to version ${newer.v}, which builds on version ${highest}`,
    );
  }
  await db.deleteFrom("checkpoint_migrations").where("v", "in", versions).execute();
}
