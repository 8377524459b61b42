import { expect, it } from "@jest/globals";
import { openDatabase } from "../../src/db/index.js";
import { PostgresSaver } from "../../src/index.js";
import { migrateDown, migrateToLatest } from "../../src/migrations/index.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { describeServer, onOneServer } from "../../test-support/targets.js";
import { NO_ROW_SECURITY, openTenancy, urlOf } from "./tenancy.js";

const TABLES = ["checkpoints", "checkpoint_blobs", "checkpoint_writes", "checkpoint_tombstones"];

onOneServer(NO_ROW_SECURITY, describeServer)("an owner whose rows policies hide", (target) => {
  it("can't undo the migrations, which would lose the hidden rows", async () => {
    const own = await target.createDatabase();
    const tenancy = await openTenancy({ ...target, createDatabase: () => Promise.resolve(own) });
    await putValues(tenancy.saver("acme"), threadConfig("acme:1"), { title: "kept" });
    const relations = [...TABLES, "checkpoint_migrations", "checkpoint_kysely_migration"];
    for (const table of [...relations, "checkpoint_kysely_migration_lock"])
      await tenancy.operate(`alter table ${table} owner to ${tenancy.role}`);
    for (const table of TABLES) await tenancy.operate(`alter table ${table} force row level security`);

    const database = openDatabase(urlOf(own.source, tenancy.role));
    await expect(migrateDown(database.kysely)).rejects.toMatchObject({ sqlState: "42501" });
    await database.kysely.transaction().execute(async (transaction) => {
      await migrateToLatest(transaction);
      expect(await new PostgresSaver(transaction).getTuple(threadConfig("acme:1"))).toBeUndefined();
    });
    await database.close();
    expect(await tenancy.asOwner("select from checkpoints")).toHaveLength(1);
    await tenancy.close();
  });
});
