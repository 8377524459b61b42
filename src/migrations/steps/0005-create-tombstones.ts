import { sql } from "kysely";
import { MigrationError } from "../../errors/index.js";
import { KEY_COLLATION, type MigrationStep } from "./step.js";

/** The threads that were deleted for good: what savers write with `keepTombstones`. */
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
        '"checkpoint_tombstones" holds rows: without them deleted threads could come back',
      );
    }
    await db.schema.dropTable("checkpoint_tombstones").execute();
  },
};
