import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import pg from "pg";
import { Kysely, PostgresDialect } from "kysely";
import { type CheckpointDatabase, PostgresSaver, type PostgresSaverOptions } from "../../src/index.js";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { InspectorCalls } from "../../test-support/inspector-calls.js";
import { until } from "../../test-support/until.js";
import { InMemorySdk } from "../telemetry/in-memory-sdk.js";
import { setUpSql, urlOf } from "../tenants/tenancy.js";
import { Replicated } from "./replicated.js";

describe("a saver with a replica", () => {
  let servers: Replicated;
  beforeAll(async () => {
    servers = await Replicated.start();
  });
  afterEach(() => servers.resume());
  afterAll(() => servers.remove());

  it("sees on the replica only the rows of its tenant, and nothing where the role sees those of all", async () => {
    await servers.onPrimary("create role service login password 'secret'");
    await servers.onPrimary("grant select, insert, update, delete on all tables in schema public to service");
    await servers.onPrimary(await setUpSql());
    const replica = urlOf(servers.standby.url, "service");
    const open = (tenantId: string, options: PostgresSaverOptions) =>
      new PostgresSaver(urlOf(servers.primary.url, "service"), undefined, { tenantId, ...options });
    const [one, other] = [open("one", { replica }), open("other", { replica })];
    await putValues(one, threadConfig("one:thread"), {});
    await putValues(other, threadConfig("other:thread"), {});
    await servers.pause();
    await one.deleteThread("one:thread");
    expect((await one.listThreads()).map(({ threadId }) => threadId)).toEqual(["one:thread"]);
    const unsafe = open("one", { replica: servers.standby.url });
    expect(await unsafe.listThreads()).toEqual([]);
    expect((await unsafe.health()).replica).toMatchObject({ isInRecovery: true });
    await Promise.all([one.end(), other.end(), unsafe.end()]);
  });

  it("closes the connections to a replica that it has opened, and leaves a pool open", async () => {
    const pool = new pg.Pool({ connectionString: servers.standby.url, max: 1 });
    const { saver } = servers.open({ replica: { source: pool } });
    await saver.listThreads();
    await saver.end();
    expect((await pool.query("select 1 as open")).rows).toEqual([{ open: 1 }]);
    await pool.end();
    const described = new URL(servers.standby.url);
    described.searchParams.set("application_name", "described");
    const { saver: another } = servers.open({ replica: described.href });
    await another.listThreads();
    const connections = "select from pg_stat_activity where application_name = 'described'";
    expect(await servers.onStandby(connections)).toHaveLength(1);
    await another.end();
    // The server lists the connection until it has noticed its end.
    await until(async () => (await servers.onStandby(connections)).length === 0);
    await expect(another.listThreads()).rejects.toMatchObject({ code: "CONNECTION_FAILED" });
  });

  it("in a transaction sees what the transaction has written, and opens no replica", async () => {
    const pool = new pg.Pool({ connectionString: servers.primary.url });
    const kysely = new Kysely<CheckpointDatabase>({ dialect: new PostgresDialect({ pool }) });
    const thread = newThread();
    await kysely.transaction().execute(async (transaction) => {
      const saver = new PostgresSaver(transaction, undefined, { replica: servers.standby.url });
      await putValues(saver, threadConfig(thread), {});
      expect((await saver.history(thread)).branches).toHaveLength(1);
      expect((await saver.health()).replica).toBeUndefined();
      await transaction.deleteFrom("checkpoints").where("thread_id", "=", thread).execute();
    });
    await kysely.destroy();
  });

  it("lets an inspector that changes nothing list and measure on the replica, and show a thread as it is", async () => {
    const { saver } = servers.open();
    const thread = newThread();
    await putValues(saver, threadConfig(newThread()), { a: ["stored"] });
    await servers.pause();
    await putValues(saver, threadConfig(thread), { a: ["stored"] });
    const reading = new InspectorCalls(saver);
    const changing = new InspectorCalls(saver, { write: true });
    const listed = async (calls: InspectorCalls): Promise<boolean> =>
      (await calls.read("threads", { limit: 200 })).threads.some(({ threadId }) => threadId === thread);
    const measured = async (calls: InspectorCalls): Promise<boolean> =>
      (await calls.read("storage", { threadId: thread })).total.checkpoints === 1;
    expect([await listed(reading), await measured(reading)]).toEqual([false, false]);
    expect([await listed(changing), await measured(changing)]).toEqual([true, true]);
    expect((await reading.read("thread", { threadId: thread })).namespaces).toHaveLength(1);
    const { findings } = await reading.read("health", {});
    expect(findings.filter(({ check }) => check === "replica")).toMatchObject([{ state: "ok" }]);
    await saver.end();
  });

  it("counts where its reads went", async () => {
    const sdk = new InMemorySdk().start();
    const { saver } = servers.open();
    const { saver: misled } = servers.open({ replica: servers.primary.url });
    await saver.listThreads();
    await misled.listThreads();
    await misled.getTuple(threadConfig("none"), { staleReads: true });
    const counted = (await sdk.measured()).get("langgraph.checkpoint.stale_reads");
    await sdk.stop();
    const counts = counted?.dataPoints.map(({ attributes, value }) => [
      attributes["langgraph.checkpoint.outcome"],
      value,
    ]);
    expect(counts).toEqual([
      // The first call of a saver also asks whether Citus distributes the tables.
      ["replica", 2],
      ["promoted", 2],
    ]);
    await Promise.all([saver.end(), misled.end()]);
  });
});

describe("the option replica", () => {
  it.each<[string, unknown, string]>([
    ["no source", null, "options.replica"],
    ["a malformed connection string", "localhost", "options.replica"],
    ["an unknown option", { source: "postgres://localhost/agents", maxLag: 5 }, "options.replica.maxLag"],
    ["no lag at all", { source: "postgres://localhost/agents", maxLagMs: 0 }, "options.replica.maxLagMs"],
    ["options without a source", { maxLagMs: 5 }, "options.replica.source"],
  ])("is refused with %s", (_, replica, field) => {
    const open = () =>
      new PostgresSaver("postgres://localhost/agents", undefined, { replica } as PostgresSaverOptions);
    expect(open).toThrow(expect.objectContaining({ code: "INVALID_CONFIG", field }));
  });

  it.each([
    ["a write", (saver: PostgresSaver) => saver.prune({ keepLast: 1, staleReads: true } as never)],
    ["a text", (saver: PostgresSaver) => saver.listThreads({ staleReads: "yes" } as never)],
  ])("is not asked for by %s", async (_, call) => {
    const saver = new PostgresSaver("postgres://localhost/agents");
    await expect(call(saver)).rejects.toMatchObject({ code: "INVALID_CONFIG" });
    await saver.end();
  });
});
