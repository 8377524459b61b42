import { expect, it } from "@jest/globals";
import { PostgresStore } from "../../src/store/index.js";
import { describeServer } from "../../test-support/targets.js";
import { useStore } from "./stored.js";

describeServer("health of a store", (target) => {
  const suite = useStore(target);

  it("is ok where items can be stored, and tells what a role may not do", async () => {
    expect(await suite.store.health()).toMatchObject({
      ok: true,
      schema: { upToDate: true, pending: [] },
      missingPrivileges: [],
      isReadOnly: false,
    });
    const role = `store_reader_${process.pid}`;
    await suite.database
      .exec(`create role ${role} login password 'p'; grant usage on schema public to ${role};
      grant select on store, store_kysely_migration to ${role}`);
    const url = new URL(suite.database.source);
    url.username = role;
    url.password = "p";
    const reader = new PostgresStore(url.href);
    expect(await reader.health()).toMatchObject({
      ok: false,
      missingPrivileges: ["delete on store", "insert on store", "update on store"],
      error: { code: "PERMISSION_DENIED" },
    });
    await reader.end();
    await suite.database.exec(`drop owned by ${role}; drop role ${role}`);
  });

  it("is not ok without the tables, and names the command that creates them", async () => {
    const { ok, schema, error } = await suite.open({ schema: "elsewhere" }).health();
    expect({ ok, upToDate: schema?.upToDate, code: error?.code }).toEqual({
      ok: false,
      upToDate: false,
      code: "MIGRATION_REQUIRED",
    });
    expect(error?.message).toContain("migrate --schema elsewhere --with store");
  });

  it("is not ok for a store with an index whose tables of embeddings are missing", async () => {
    const embed = (texts: string[]): number[][] => texts.map(({ length }) => [length, 1]);
    const store = suite.open({ index: { dims: 2, embed }, ensureTables: false });
    const { ok, schema, error } = await store.health();
    expect({ ok, pending: schema?.pending, code: error?.code }).toEqual({
      ok: false,
      pending: ["vectors-0001-create-vectors"],
      code: "MIGRATION_REQUIRED",
    });
    expect(error?.message).toContain("migrate --schema public --with vectors");
  });
});
