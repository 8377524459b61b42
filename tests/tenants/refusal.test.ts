import { afterEach, beforeEach, expect, it } from "@jest/globals";
import type pg from "pg";
import { PostgresSaver, RowSecurityError } from "../../src/index.js";
import { collect, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { pretendCitus } from "../../test-support/pretended-citus.js";
import { recordPool } from "../../test-support/recorded-pool.js";
import { describeAnyTarget, describeServer, onOneServer } from "../../test-support/targets.js";
import { NO_ROW_SECURITY, openTenancy, setUpSql, type Tenancy } from "./tenancy.js";

const TABLES = ["checkpoint_blobs", "checkpoint_tombstones", "checkpoint_writes", "checkpoints"];

/** Every call of a saver that touches rows. */
function calls(saver: PostgresSaver): Record<string, () => Promise<unknown>> {
  const thread = threadConfig("acme:1");
  const config = threadConfig("acme:1", { checkpoint_id: "1" });
  return {
    getTuple: () => saver.getTuple(thread),
    list: () => collect(saver.list({})),
    put: () => putValues(saver, thread, { title: "a" }),
    putWrites: () => saver.putWrites(config, [["a", 1]], "task"),
    deleteThread: () => saver.deleteThread("acme:1"),
    batch: () => saver.batch((batch) => batch.deleteThread("acme:1")),
    getChannelValues: () => saver.getChannelValues({ threadIds: ["acme:1"], channel: "title" }),
    getDeltaChannelHistory: () => saver.getDeltaChannelHistory({ config, channels: ["title"] }),
  };
}

onOneServer(NO_ROW_SECURITY, describeAnyTarget)(
  "a saver with a tenant, on a database that does not separate tenants",
  (target) => {
    let tenancy: Tenancy;

    beforeEach(async () => {
      tenancy = await openTenancy(target);
      await putValues(tenancy.saver("acme"), threadConfig("acme:1"), { title: "kept" });
    });
    afterEach(() => tenancy.close());

    async function expectRefusals(saver: PostgresSaver, tables: readonly string[]): Promise<void> {
      for (const [name, call] of Object.entries(calls(saver))) {
        const error: unknown = await call().catch((reason: unknown) => reason);
        expect({ name, error }).toMatchObject({ error: expect.any(RowSecurityError) });
        expect(new Set((error as RowSecurityError).tables)).toEqual(new Set(tables));
      }
      const rows = await tenancy.asOwner("select from checkpoints");
      expect(rows).toHaveLength(1);
    }

    it("refuses every call while one of the tables lacks row-level security, and works afterwards", async () => {
      for (const table of TABLES) {
        const saver = tenancy.saver("acme");
        await tenancy.asOwner(`alter table ${table} disable row level security`);
        await expectRefusals(saver, [table]);
        await tenancy.asOwner(`alter table ${table} enable row level security`);
        const tuple = await saver.getTuple(threadConfig("acme:1"));
        expect(tuple?.checkpoint.channel_values).toEqual({ title: "kept" });
      }
    });

    it("refuses every call of a role with BYPASSRLS", async () => {
      await tenancy.asOwner(`alter role ${tenancy.role} bypassrls`);
      await expectRefusals(tenancy.saver("acme"), TABLES);
    });

    it("refuses every call of the owner of the tables", async () => {
      for (const table of TABLES) await tenancy.asOwner(`alter table ${table} owner to ${tenancy.role}`);
      await expectRefusals(tenancy.saver("acme"), TABLES);
    });

    it("refuses every call of a superuser", async () => {
      await tenancy.asOwner(`alter role ${tenancy.role} superuser`);
      await expectRefusals(tenancy.saver("acme"), TABLES);
      await tenancy.asOwner(`alter role ${tenancy.role} nosuperuser`);
    });

    it("refuses every call if a table has row-level security but no policy for its role, and blames no thread", async () => {
      await tenancy.asOwner("drop policy tenant on checkpoints");
      const refused = {
        code: "PERMISSION_DENIED",
        message: expect.stringMatching(
          /row-level security is on for "checkpoints" and has no policy for this role/,
        ),
      };
      for (const call of Object.values(calls(tenancy.saver("acme")))) {
        await expect(call()).rejects.toMatchObject(refused);
      }
      // Without a tenant, nothing is asked before: reads find nothing, and the first write says why.
      const saver = tenancy.saver();
      expect(await saver.getTuple(threadConfig("acme:1"))).toBeUndefined();
      await expect(putValues(saver, threadConfig("acme:1"), {})).rejects.toMatchObject({
        ...refused,
        threadId: undefined,
      });
      expect(await saver.health()).toMatchObject({ ok: false, error: refused });
      // A policy for others, or for one command alone, is none.
      await tenancy.asOwner("create policy of_others on checkpoints to pg_monitor using (true)");
      await tenancy.asOwner("create policy of_updates on checkpoints for update using (true)");
      expect(await saver.health()).toMatchObject({ ok: false, error: refused });
      await tenancy.asOwner("create policy everything on checkpoints using (true)");
      expect(await saver.health()).toMatchObject({ ok: true });
      expect(await tenancy.saver("acme").getTuple(threadConfig("acme:1"))).toBeDefined();
    });
  },
);

onOneServer(NO_ROW_SECURITY, describeServer)("a database with tables in another schema", (target) => {
  it("separates tenants there too, even if set up twice, and refuses calls if only that schema is not set up", async () => {
    const schema = 'it\'s "quoted"';
    const tenancy = await openTenancy(target, { options: { schema } });
    await putValues(tenancy.saver("acme"), threadConfig("acme:1"), { title: "kept" });
    await tenancy.operate(await setUpSql(schema));
    expect(await collect(tenancy.saver("acme").list({}))).toHaveLength(1);
    expect(await collect(tenancy.saver("bolt").list({}))).toEqual([]);
    await tenancy.asOwner(`alter table "it's ""quoted""".checkpoint_blobs disable row level security`);
    await expect(collect(tenancy.saver("acme").list({}))).rejects.toMatchObject({
      tables: ["checkpoint_blobs"],
    });
    await tenancy.close();
  });

  it("separates them there if tables of the same names elsewhere don't", async () => {
    const tenancy = await openTenancy(target, { options: { schema: "own" } });
    for (const table of TABLES) await tenancy.asOwner(`create table public.${table} ()`);
    await putValues(tenancy.saver("acme"), threadConfig("acme:1"), { title: "kept" });
    expect(await collect(tenancy.saver("bolt").list({}))).toEqual([]);
    await tenancy.close();
  });
});

onOneServer(NO_ROW_SECURITY, describeServer)("a saver with a tenant", (target) => {
  let tenancy: Tenancy;
  beforeEach(async () => {
    tenancy = await openTenancy(target);
  });
  afterEach(() => tenancy.close());

  it("asks once whether tenants are separated, and each time while a table is missing", async () => {
    const { connectionString = "" } = (tenancy.source as pg.Pool).options;
    await using recording = recordPool(connectionString);
    const saver = new PostgresSaver(recording.pool, undefined, { tenantId: "acme" });
    const read = () => saver.getTuple(threadConfig("acme:1"));
    const asked = () => recording.sent.filter(({ text }) => text.includes("row_security_active")).length;
    await tenancy.operate("alter table checkpoint_tombstones rename to gone");
    await read();
    await read();
    expect(asked()).toBe(2);
    await tenancy.operate("create table checkpoint_tombstones ()");
    await expect(read()).rejects.toMatchObject({ tables: ["checkpoint_tombstones"] });
    await tenancy.operate(
      "drop table checkpoint_tombstones; alter table gone rename to checkpoint_tombstones",
    );
    await read();
    await read();
    expect(asked()).toBe(4);
  });

  it("names what is missing where there is no table", async () => {
    await using saver = new PostgresSaver(tenancy.source, undefined, {
      schema: "none",
      tenantId: "acme",
    });
    await expect(collect(saver.list({}))).rejects.toMatchObject({ code: "MIGRATION_REQUIRED" });
  });

  it("refuses every call where Citus keeps rows on other servers", async () => {
    await pretendCitus({ exec: (sql) => tenancy.operate(sql) });
    const place = (table: string, where: string) =>
      tenancy.operate(`insert into pg_catalog.pg_dist_partition values ('${table}', ${where})`);
    const list = () => collect(tenancy.saver("acme").list({}));
    await place("checkpoints", "'n', null, 0, 's'");
    expect(await list()).toEqual([]);
    await place("checkpoint_writes", "'n', null, 1, 't'");
    await place("checkpoint_blobs", "'h', 'thread_id', 0, 's'");
    await expect(list()).rejects.toMatchObject({
      tables: ["checkpoint_blobs", "checkpoint_writes"],
      message: expect.stringContaining("Citus keeps the rows on other servers"),
    });
  });
});
