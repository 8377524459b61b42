import { sql } from "kysely";
import { MigrationError } from "../../errors/index.js";
import type { MigrationStep } from "./step.js";

/**
 * Adds the columns of values that are stored as a splice of an earlier version: the version that they refer to, and the length of
 * the whole value. Both are NULL for a whole value. The official savers insert by column names, so they don't notice.
 */
export const addSpliceBase: MigrationStep = {
  async up(db) {
    await db.schema
      .alterTable("checkpoint_blobs")
      // Without a collation of its own. An adopted table may have another collation for `version` than ours, and Postgres compares
      // text of the default collation with either.
      .addColumn("base", sql`text`, (column) => column.ifNotExists())
      .addColumn("whole_bytes", "integer", (column) => column.ifNotExists())
      .execute();
  },

  async down(db) {
    const spliced = await db
      .selectFrom("checkpoint_blobs")
      .select("thread_id")
      .where("base", "is not", null)
      .limit(1)
      .executeTakeFirst();
    if (spliced !== undefined) {
      throw new MigrationError(
        `thread "${spliced.thread_id}" has values that are stored as splices, which the older schema can't store: expand it first`,
      );
    }
    await db.schema.alterTable("checkpoint_blobs").dropColumn("base").dropColumn("whole_bytes").execute();
  },
};
