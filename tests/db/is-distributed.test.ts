import { beforeEach, expect, it } from "@jest/globals";
import { isDistributed } from "../../src/db/placement/placement.js";
import { openDatabase } from "../../src/db/open-database.js";
import { lookDistributed } from "../../test-support/distributed-catalog.js";
import {
  describeEachTarget,
  describeServer,
  onOneServer,
  type TestDatabase,
} from "../../test-support/targets.js";

onOneServer("these tables are distributed", describeEachTarget)("isDistributed", (target) => {
  it("is false without Citus, also where the tables are missing, and sends nothing again", async () => {
    const { source } = await target.sharedDatabase();
    const database = openDatabase(source);
    const call = { database, schema: "public", policy: { retry: false as const } };
    expect(await isDistributed(call)).toBe(false);
    expect(await isDistributed({ ...call, schema: "not there" })).toBe(false);
    // Nothing could be sent on a closed database.
    const closed = { ...call, database: { ...database, closed: true } };
    expect(await isDistributed(closed)).toBe(false);
    // Once a connection has answered, this is known for every schema.
    expect(await isDistributed({ ...closed, schema: "another" })).toBe(false);
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

describeServer("isDistributed", (target) => {
  let database: TestDatabase<string>;

  beforeEach(async () => {
    database = await target.migratedDatabase();
    await lookDistributed(database);
  });

  it("is true where the catalog of Citus has the tables by their rows, and remembers it", async () => {
    const opened = openDatabase(database.source);
    const call = { database: opened, schema: "public", policy: { retry: false as const } };
    expect(await isDistributed(call)).toBe(true);
    expect(await isDistributed({ ...call, database: { ...opened, closed: true } })).toBe(true);
    await opened.close();
  });

  it("is false for another schema, and asks again while its tables are local", async () => {
    const opened = openDatabase(database.source);
    const call = { database: opened, schema: "another", policy: { retry: false as const } };
    expect(await isDistributed(call)).toBe(false);
    const closed = { ...call, database: { ...opened, closed: true } };
    await expect(isDistributed(closed)).rejects.toThrow("closed");
    await opened.close();
  });
});
