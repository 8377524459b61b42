import { expect, it } from "@jest/globals";
import { sql } from "kysely";
import { openDatabase } from "../../src/db/index.js";
import { describePglite } from "../../test-support/targets.js";

describePglite("PGlite's only connection", (target) => {
  it("keeps other queries out of an open transaction", async () => {
    const { source } = await target.createDatabase();
    const db = openDatabase(source).kysely.$extendTables<{ notes: { text: string } }>();
    await db.schema.createTable("notes").addColumn("text", "text").execute();

    let beside: Promise<unknown> = Promise.resolve();
    const transaction = db.transaction().execute(async (open) => {
      await open.insertInto("notes").values({ text: "inside" }).execute();
      beside = db.insertInto("notes").values({ text: "beside" }).execute();
      await sql`select 1`.execute(open);
      throw new Error("rolled back");
    });
    await expect(transaction).rejects.toThrow("rolled back");
    await beside;
    expect(await db.selectFrom("notes").selectAll().execute()).toEqual([{ text: "beside" }]);
  });

  it("runs concurrent transactions one after another", async () => {
    const { source } = await target.createDatabase();
    const db = openDatabase(source).kysely.$extendTables<{ counter: { n: number } }>();
    await db.schema.createTable("counter").addColumn("n", "integer").execute();
    await db.insertInto("counter").values({ n: 0 }).execute();
    const increment = () =>
      db.transaction().execute(async (open) => {
        const { n } = await open.selectFrom("counter").selectAll().executeTakeFirstOrThrow();
        await open
          .updateTable("counter")
          .set({ n: n + 1 })
          .execute();
      });
    await Promise.all(Array.from({ length: 20 }, increment));
    expect(await db.selectFrom("counter").selectAll().execute()).toEqual([{ n: 20 }]);
  });
});
