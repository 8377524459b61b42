import { afterAll, beforeAll, beforeEach, expect, it } from "@jest/globals";
import type { RunnableConfig } from "@langchain/core/runnables";
import { sql, type Transaction } from "kysely";
import { type CheckpointDatabase, ConcurrentModificationError, PostgresSaver } from "../../src/index.js";
import { newThread, threadConfig } from "../../test-support/checkpoints.js";
import { idOf, outcomesOf, putFrom } from "../../test-support/put-from.js";
import { describeEachTarget, type TestDatabase } from "../../test-support/targets.js";
import { rowsOf } from "../../test-support/thread-rows.js";

const OPTIMISTIC = { concurrency: "optimistic", retry: false } as const;

describeEachTarget("a saver with optimistic concurrency, on a passed-in transaction or Kysely,", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;
  let thread: string;

  beforeAll(async () => {
    database = await target.migratedDatabase();
    saver = new PostgresSaver(database.source, undefined, OPTIMISTIC);
  });
  afterAll(() => saver.end());
  beforeEach(() => {
    thread = newThread();
  });

  const headOf = async (): Promise<unknown> =>
    (await saver.getTuple(threadConfig(thread)))?.config.configurable?.checkpoint_id;

  it("runs in the caller's transaction, which a refusal does not end", async () => {
    const first = await putFrom(saver, "input", threadConfig(thread));
    const within = async (transaction: Transaction<CheckpointDatabase>): Promise<RunnableConfig> => {
      const passedIn = new PostgresSaver(transaction, undefined, OPTIMISTIC);
      const second = await putFrom(passedIn, "loop", first);
      await expect(putFrom(passedIn, "loop", first)).rejects.toBeInstanceOf(ConcurrentModificationError);
      return putFrom(passedIn, "loop", second);
    };
    const kysely = database.kysely<CheckpointDatabase>();
    const rolledBack = kysely.transaction().execute(async (transaction) => {
      await within(transaction);
      throw new Error("rolled back");
    });
    await expect(rolledBack).rejects.toThrow("rolled back");
    expect(await headOf()).toBe(idOf(first));
    const head = await kysely.transaction().execute(within);
    expect(await headOf()).toBe(idOf(head));
  });

  it("refuses a transaction with snapshot isolation (C11)", async () => {
    const begin = "set transaction isolation level repeatable read";
    const run = database
      .kysely<CheckpointDatabase>()
      .transaction()
      .execute(async (transaction) => {
        await sql.raw(begin).execute(transaction);
        await putFrom(new PostgresSaver(transaction, undefined, OPTIMISTIC), "input", threadConfig(thread));
      });
    await expect(run).rejects.toMatchObject({ code: "INVALID_CONFIG", field: "source" });
    expect(await headOf()).toBeUndefined();
  });

  it("applies on a passed-in Kysely too", async () => {
    const passedIn = new PostgresSaver(database.kysely<CheckpointDatabase>(), undefined, OPTIMISTIC);
    const first = await putFrom(passedIn, "input", threadConfig(thread));
    const { kept } = await outcomesOf(Array.from({ length: 6 }, () => putFrom(passedIn, "loop", first)));
    expect(kept).toBe(1);
    expect(await rowsOf(database, thread)).toEqual({ checkpoints: 2, blobs: 2, writes: 0 });
  });
});
