import { sql } from "kysely";
import { MigrationError } from "../../errors/index.js";
import { forgetVersions, recordVersions } from "./record-versions.js";
import type { MigrationStep } from "./step.js";

// Version 5 does nothing. Versions 6 to 8 create indexes on thread_id, which the primary keys make redundant.
const OFFICIAL_VERSIONS = [5, 6, 7, 8, 9];

/** Adds the path of a task in the graph, by which pending writes are ordered first. */
export const addTaskPath: MigrationStep = {
  async up(db) {
    await db.schema
      .alterTable("checkpoint_writes")
      .addColumn("task_path", sql`text`, (column) => column.ifNotExists().notNull().defaultTo(""))
      .execute();
    await recordVersions(db, "checkpoint_migrations", OFFICIAL_VERSIONS);
  },

  async down(db) {
    const used = await db
      .selectFrom("checkpoint_writes")
      .select("thread_id")
      .where("task_path", "<>", "")
      .limit(1)
      .executeTakeFirst();
    if (used !== undefined) {
      throw new MigrationError(`thread "${used.thread_id}" has writes with a task path, which would be lost`);
    }
    await forgetVersions(db, "checkpoint_migrations", OFFICIAL_VERSIONS);
    await db.schema.alterTable("checkpoint_writes").dropColumn("task_path").execute();
  },
};
