import { sql } from "kysely";
import { MigrationError } from "../../errors/index.js";
import { KEY_COLLATION, type MigrationStep } from "./step.js";

/** Creates the table of deleted threads, in which savers with `keepTombstones` record them. */
export const createTombstones: MigrationStep = {
  async up(db) {
    await db.schema
      .createTable("checkpoint_tombstones")
      .ifNotExists()
      .addColumn("thread_id", sql`text collate ${sql.ref(KEY_COLLATION)}`, (column) => column.primaryKey())
      .addColumn("deleted_at", "timestamptz", (column) => column.notNull().defaultTo(sql`now()`))
      .execute();
  },

  async down(db) {
    const row = await db.selectFrom("checkpoint_tombstones").select("thread_id").limit(1).executeTakeFirst();
    if (row !== undefined) {
      throw new MigrationError(
        'table "checkpoint_tombstones" holds rows: without them, deleted threads could be written to again',
      );
    }
    await db.schema.dropTable("checkpoint_tombstones").execute();
  },
};
