import type { Kysely } from "kysely";
import { MigrationError } from "../../errors/index.js";
import type { MigratedTables } from "./step.js";

/**
 * Notes in the official savers' own table that the schema has what their migrations `versions` would have made, so
 * that `setup()` of either is a no-op here.
 *
 * Both count in this one table: from 5 on the versions are Python's, so that the JavaScript one would skip a migration
 * that it numbers 5 to 9 some day. It would skip it in every database that Python's saver has set up, too.
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

/** Takes the notes back; the official savers heal the schema themselves should they need it again. */
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
