import { MigrationError } from "../../errors/index.js";
import { forgetVersions, recordVersions } from "./record-versions.js";
import type { MigrationStep } from "./step.js";

const OFFICIAL_VERSIONS = [4];

/** Allows blobs without bytes: an emptied channel is a row of the type `empty`. */
export const allowEmptyBlobs: MigrationStep = {
  async up(db) {
    await db.schema
      .alterTable("checkpoint_blobs")
      .alterColumn("blob", (column) => column.dropNotNull())
      .execute();
    await recordVersions(db, "checkpoint_migrations", OFFICIAL_VERSIONS);
  },

  async down(db) {
    const empty = await db
      .selectFrom("checkpoint_blobs")
      .select("thread_id")
      .where("blob", "is", null)
      .limit(1)
      .executeTakeFirst();
    if (empty !== undefined) {
      throw new MigrationError(
        `thread "${empty.thread_id}" has an emptied channel, which the older schema can't store`,
      );
    }
    await forgetVersions(db, "checkpoint_migrations", OFFICIAL_VERSIONS);
    await db.schema
      .alterTable("checkpoint_blobs")
      .alterColumn("blob", (column) => column.setNotNull())
      .execute();
  },
};
