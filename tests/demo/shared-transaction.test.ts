import { beforeEach, expect, it } from "@jest/globals";
import type { Kysely } from "kysely";
import { placeOrder, type ShopDatabase } from "../../examples/shared-transaction.js";
import { type CheckpointDatabase, PostgresSaver } from "../../src/index.js";
import { migrateToLatest } from "../../src/migrations/index.js";
import { describeEachTarget } from "../../test-support/targets.js";

const ORDER = { id: "order-1", item: "lamp" };
const THREAD = { configurable: { thread_id: ORDER.id } };

describeEachTarget("a transaction that the application shares with the saver", (target) => {
  let db: Kysely<ShopDatabase & CheckpointDatabase>;

  beforeEach(async () => {
    const database = await target.createDatabase();
    db = database.kysely<ShopDatabase & CheckpointDatabase>();
    await migrateToLatest(db);
    await database.exec("create table orders (id text primary key, item text not null)");
  });

  it("stores the order with its conversation", async () => {
    await expect(placeOrder(db, ORDER, () => true)).resolves.toBe("Your lamp is on its way");
    expect(await db.selectFrom("orders").selectAll().execute()).toEqual([ORDER]);
    expect(await new PostgresSaver(db).getTuple(THREAD)).toBeDefined();
  });

  it("stores neither the order nor the conversation if the agent fails", async () => {
    await expect(placeOrder(db, ORDER, () => false)).rejects.toThrow("lamp: not in stock");
    expect(await db.selectFrom("orders").selectAll().execute()).toEqual([]);
    expect(await db.selectFrom("checkpoints").selectAll().execute()).toEqual([]);
    expect(await db.selectFrom("checkpoint_writes").selectAll().execute()).toEqual([]);
    expect(await db.selectFrom("checkpoint_blobs").selectAll().execute()).toEqual([]);
  });

  it("stores no conversation if the order can't be stored", async () => {
    await placeOrder(db, ORDER, () => true);
    const before = await db.selectFrom("checkpoints").selectAll().execute();
    await expect(placeOrder(db, ORDER, () => true)).rejects.toThrow();
    expect(await db.selectFrom("checkpoints").selectAll().execute()).toEqual(before);
  });
});
