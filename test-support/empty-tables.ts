import type { TestDatabase } from "./test-database.js";

/** Deletes what savers have stored in a database. That takes a hundredth of the time of another migrated database. */
export function emptyTables(database: TestDatabase): Promise<void> {
  return database.exec(
    "delete from checkpoints; delete from checkpoint_blobs; delete from checkpoint_writes",
  );
}
