import { expect, it } from "@jest/globals";
import { isDistributed } from "../../src/db/is-distributed.js";
import { openDatabase } from "../../src/db/open-database.js";
import { describeEachTarget } from "../../test-support/targets.js";

describeEachTarget("isDistributed", (target) => {
  it("is false without Citus, also where the tables are missing, and sends nothing again", async () => {
    const { source } = await target.sharedDatabase();
    const database = openDatabase(source);
    const call = { database, schema: "public", policy: { retry: false as const } };
    expect(await isDistributed(call)).toBe(false);
    expect(await isDistributed({ ...call, schema: "not there" })).toBe(false);
    // Nothing could be sent on a closed database.
    const closed = { ...call, database: { ...database, closed: true } };
    expect(await isDistributed(closed)).toBe(false);
    await expect(isDistributed({ ...closed, schema: "another" })).rejects.toThrow("closed");
    await database.close();
  });

  it("does not harm the transaction that it is asked in", async () => {
    const { source } = await target.sharedDatabase();
    const { kysely, close } = openDatabase(source);
    await kysely.transaction().execute(async (transaction) => {
      const call = {
        database: openDatabase(transaction),
        schema: "public",
        policy: { retry: false as const },
      };
      expect(await isDistributed(call)).toBe(false);
      expect(await transaction.selectFrom("checkpoints").selectAll().execute()).toEqual([]);
    });
    await close();
  });
});
