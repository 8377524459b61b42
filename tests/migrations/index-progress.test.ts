import { expect, it } from "@jest/globals";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import type { CheckpointDatabase } from "../../src/index.js";
import { createOptionalIndexes } from "../../src/migrations/indexes/create-indexes.js";
import { type IndexProgress, whileIndexing } from "../../src/migrations/indexes/index-progress.js";
import { describeServer } from "../../test-support/targets.js";
import { withClient } from "../../test-support/with-client.js";

describeServer("building an optional index", (target) => {
  it("tells what it waits for, and how large the table is", async () => {
    const database = await target.migratedDatabase();
    const pool = new pg.Pool({ connectionString: database.source });
    const db = new Kysely<CheckpointDatabase>({ dialect: new PostgresDialect({ pool }) });
    const told: IndexProgress[] = [];
    await withClient(database.source, async (writer) => {
      await writer.query(
        "begin; insert into checkpoints (thread_id, checkpoint_id, checkpoint) values ('t', '1', '{}')",
      );
      const onProgress = (progress: IndexProgress): void => {
        told.push(progress);
        if (told.length === 1) void writer.query("commit");
      };
      const states = await whileIndexing(db, { schema: "public", onProgress }, () =>
        createOptionalIndexes(db, { indexes: ["run-index"] }),
      );
      expect(states).toEqual({ "run-index": "ready" });
    });
    expect(told[0]).toMatchObject({ table: "checkpoints", phase: expect.stringContaining("waiting") });
    expect(told[0]?.tableBytes).toBeGreaterThan(0);
    await db.destroy();
  });
});
