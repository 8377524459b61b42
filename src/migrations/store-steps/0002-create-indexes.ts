import { sql } from "kysely";
import type { MigrationStep } from "../steps/step.js";

/**
 * Creates the indexes for filters and for the newest items. Earlier versions also created `store_text_idx` here, which is an optional index
 * now. Undoing the step leaves it alone, since it may be wanted. Their `store_updated_idx` has no `expires_at`: searches read the items
 * that they skip then.
 */
export const createIndexes: MigrationStep = {
  async up(db, schema) {
    const table = sql.id(schema, "store");
    // `jsonb_path_ops` is smaller than the default, and supports the containment that filters use.
    await sql`create index if not exists store_value_idx on ${table} using gin (value jsonb_path_ops)`.execute(
      db,
    );
    // With what tells whether an item has expired, so that a search skips items without reading them.
    await sql`create index if not exists store_updated_idx on ${table}
      (updated_at desc, prefix collate "C", key collate "C") include (expires_at)`.execute(db);
  },

  async down(db) {
    for (const index of ["store_updated_idx", "store_value_idx"]) {
      await db.schema.dropIndex(index).execute();
    }
  },
};
