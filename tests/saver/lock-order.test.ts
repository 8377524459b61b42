import { expect, it } from "@jest/globals";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { type CheckpointDatabase, PostgresSaver, ShallowPostgresSaver } from "../../src/index.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { untilItWaits } from "../../test-support/held-locks.js";
import { describeServer } from "../../test-support/targets.js";

const RULES = { retry: false } as const;

describeServer("lock order", (target) => {
  const deletions: Record<string, (source: string) => Promise<unknown>> = {
    deleteThread: (source) => new PostgresSaver(source, undefined, RULES).deleteThread("t"),
    prune: (source) => new PostgresSaver(source, undefined, RULES).prune(["t"]),
    "a put that keeps only the newest checkpoint": (source) =>
      putValues(new ShallowPostgresSaver(source, undefined, RULES), threadConfig("t"), { a: "new" }),
  };
  for (const [name, deletion] of Object.entries(deletions)) {
    it(`of pending writes is that of their key in ${name}, wherever their rows are (C2)`, async () => {
      const database = await target.sharedDatabase();
      const saver = new PostgresSaver(database.source, undefined, RULES);
      await saver.setup();
      const root = await putValues(saver, threadConfig("t"), { a: "root" });
      for (const task of ["b", "a"]) await saver.putWrites(root.config, [["a", task]], task);
      await putValues(saver, root.config, { a: "head" }, root.checkpoint);
      // Then Postgres knows that the tables are small, and reads them row by row rather than by the index.
      await database.query("analyze");

      const pool = new pg.Pool({ connectionString: database.source });
      const kysely = new Kysely<CheckpointDatabase>({ dialect: new PostgresDialect({ pool }) });
      let deleting: Promise<unknown> = Promise.resolve();
      await kysely.transaction().execute(async (transaction) => {
        const lock = (task: string) =>
          transaction
            .selectFrom("checkpoint_writes")
            .select("idx")
            .where("thread_id", "=", "t")
            .where("task_id", "=", task)
            .forUpdate();
        await lock("a").execute();
        deleting = deletion(database.source);
        await untilItWaits(database, deleting);
        // Not locked, so a transaction that locks them in the same order never waits for one that waits for it.
        expect(await lock("b").noWait().execute()).toHaveLength(1);
      });
      await deleting;
      await kysely.destroy();
    });
  }
});
