import { afterEach, beforeEach, expect, it } from "@jest/globals";
import type { RunnableConfig } from "@langchain/core/runnables";
import { PostgresSaver as OfficialSaver } from "@langchain/langgraph-checkpoint-postgres";
import pg from "pg";
import { PostgresSaver } from "../../src/index.js";
import {
  checkpointOf,
  collect,
  metadataOf,
  nextId,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { describeAnyTarget, describeServer, onOneServer } from "../../test-support/targets.js";
import { documentedSql } from "./documented-sql.js";
import { NO_ROW_SECURITY, openTenancy, type Tenancy } from "./tenancy.js";

const TABLES = ["checkpoints", "checkpoint_blobs", "checkpoint_writes", "checkpoint_tombstones"];

/** Puts what the official JavaScript saver would put: it counts versions from 1 in every thread. */
function putFirst(saver: PostgresSaver, value: string, id = nextId()): Promise<RunnableConfig> {
  const checkpoint = { ...checkpointOf(saver, { log: [value] }), id, channel_versions: { log: 1 } };
  return saver.put(threadConfig("1"), checkpoint, metadataOf(), { log: 1 });
}

onOneServer(NO_ROW_SECURITY, describeAnyTarget)("what docs/tenants.md says", (target) => {
  let tenancy: Tenancy;

  beforeEach(async () => {
    tenancy = await openTenancy(target);
  });
  afterEach(() => tenancy.close());

  it("moves an existing thread to its tenant completely", async () => {
    for (const table of TABLES) await tenancy.asOwner(`alter table ${table} disable row level security`);
    const before = tenancy.saver();
    const { config, checkpoint } = await putValues(before, threadConfig("42"), { title: "old" });
    await before.putWrites(config, [["title", "new"]], "task");
    await putValues(before, threadConfig("421"), { title: "another" });
    for (const table of TABLES) await tenancy.asOwner(`alter table ${table} enable row level security`);

    const acme = tenancy.saver("acme");
    expect(await collect(acme.list({}))).toEqual([]);
    await tenancy.operate((await documentedSql()).moveThread);
    const [tuple, ...others] = await collect(acme.list({}));
    expect(others).toEqual([]);
    expect(tuple?.config.configurable).toMatchObject({ thread_id: "acme:42", checkpoint_id: checkpoint.id });
    expect(tuple?.checkpoint.channel_values).toEqual({ title: "old" });
    expect(tuple?.pendingWrites).toEqual([["task", "title", "new"]]);
  });

  it("is right that a tenant column outside the keys loses values without an error", async () => {
    for (const table of TABLES) {
      await tenancy.asOwner(`drop policy tenant on ${table}`);
      await tenancy.operate(
        `alter table ${table} add column tenant_id text not null;
         alter table ${table} alter column tenant_id set default current_setting('langgraph.tenant_id')`,
      );
      await tenancy.asOwner(
        `create policy tenant on ${table} using (tenant_id = current_setting('langgraph.tenant_id', true))`,
      );
    }
    const [acme, bolt] = [tenancy.saver("acme"), tenancy.saver("bolt")];
    await putFirst(acme, "of acme", "first");
    await acme.putWrites(threadConfig("1", { checkpoint_id: "known" }), [["log", "taken"]], "task");

    const second = await putFirst(bolt, "of bolt");
    expect((await bolt.getTuple(second))?.checkpoint.channel_values).toEqual({});
    const known = await putFirst(bolt, "of bolt", "known");
    await bolt.putWrites(known, [["log", "lost"]], "task");
    expect((await bolt.getTuple(known))?.pendingWrites).toEqual([]);
    await expect(putFirst(bolt, "of bolt", "first")).rejects.toMatchObject({ sqlState: "42501" });

    await tenancy.operate(
      `alter table checkpoints drop constraint checkpoints_pkey;
       alter table checkpoints add primary key (tenant_id, thread_id, checkpoint_ns, checkpoint_id)`,
    );
    await expect(putValues(bolt, threadConfig("2"), { title: "b" })).rejects.toMatchObject({
      sqlState: "42P10",
    });
  });
});

onOneServer(NO_ROW_SECURITY, describeServer)("roles other than a tenant's service", (target) => {
  let tenancy: Tenancy;

  beforeEach(async () => {
    tenancy = await openTenancy(target);
    await putValues(tenancy.saver("acme"), threadConfig("acme:1"), { title: "a" });
    await putValues(tenancy.saver("bolt"), threadConfig("bolt:1"), { title: "b" });
  });
  afterEach(() => tenancy.close());

  it("see all tenants' rows only with their own policy", async () => {
    const reader = `${tenancy.role}_reader`;
    const expectRows = (count: number) =>
      tenancy.operate(
        `set role ${reader}; do $$ begin assert (select count(*) from checkpoints) = ${count}; end $$`,
      );
    await expectRows(0);
    await tenancy.operate(`create policy support on checkpoints for select to ${reader} using (true)`);
    await expectRows(2);
  });

  it("are refused with row_security off, as pg_dump sets it", async () => {
    const dump = (role: string) =>
      tenancy.operate(`set role ${role}; set row_security = off; table checkpoints`);
    await expect(dump(tenancy.role)).rejects.toMatchObject({ code: "42501" });
    await dump("none");
  });
});

onOneServer(NO_ROW_SECURITY, describeServer)("a tenant with its own role", (target) => {
  it("can only use its own threads, with any saver", async () => {
    const tenancy = await openTenancy(target);
    await putValues(tenancy.saver("acme"), threadConfig("acme:1"), { title: "a" });
    await putValues(tenancy.saver("bolt"), threadConfig("bolt:1"), { title: "b" });
    const role = `${tenancy.role}_acme`;
    const { roleOfTenant } = await documentedSql();
    await tenancy.operate(
      roleOfTenant.replaceAll("acme_service", role).replaceAll("agent_service", tenancy.role),
    );
    await tenancy.operate(`alter role ${role} password 'secret'`);
    const { source } = tenancy;
    if (!(source instanceof pg.Pool)) throw new Error("a server is needed");
    const url = new URL(source.options.connectionString ?? "");
    url.username = role;

    const official = OfficialSaver.fromConnString(url.href);
    const own = PostgresSaver.fromConnString(url.href);
    for (const saver of [official, own]) {
      const tuples = await collect(saver.list({}));
      const threads = tuples.map(({ config }) => String(config.configurable?.thread_id));
      expect(threads).toContain("acme:1");
      expect(threads).not.toContain("bolt:1");
      expect(await saver.getTuple(threadConfig("bolt:1"))).toBeUndefined();
      await putValues(saver, threadConfig("acme:2"), { title: "c" });
      await expect(putValues(saver, threadConfig("bolt:2"), { title: "d" })).rejects.toThrow(
        "row-level security",
      );
    }

    const forged = PostgresSaver.fromConnString(url.href, { tenantId: "bolt" });
    expect(await collect(forged.list({}))).not.toEqual([]);
    for (const table of TABLES) {
      await tenancy.asOwner(
        `create policy acme on ${table} as restrictive to ${role} using (starts_with(thread_id, 'acme:'))`,
      );
    }
    expect(await collect(forged.list({}))).toEqual([]);
    expect(await collect(own.list({}))).not.toEqual([]);
    await Promise.all([official.end(), own.end(), forged.end()]);
    await tenancy.operate(`drop owned by ${role}; drop role ${role}`);
    await tenancy.close();
  });
});
