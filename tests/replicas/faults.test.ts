import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import type { PostgresSaver, ReplicaState } from "../../src/index.js";
import { listIds, newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { TcpProxy } from "../../test-support/tcp-proxy.js";
import { until } from "../../test-support/until.js";
import { Replicated } from "./replicated.js";

const LEFT = "the replica is left aside";
const RETURNED = "the replica is used again";

describe("a replica with a fault", () => {
  let servers: Replicated;
  beforeAll(async () => {
    servers = await Replicated.start();
  });
  afterEach(async () => {
    await servers.resume();
    await servers.catchUp();
  });
  afterAll(() => servers.remove());

  it("is not taken for behind where nothing is written, so that the last commit is long ago or unknown", async () => {
    const unknown = "select where pg_last_xact_replay_timestamp() is null";
    expect(await servers.onStandby(unknown)).toHaveLength(1);
    await servers.whileQuiet(async () => {
      const { saver, logger } = servers.open();
      await saver.listThreads();
      const state = await stateOf(saver);
      await saver.end();
      return () => {
        expect(state).toMatchObject({ isUsed: true });
        expect(logger.lines).toEqual([]);
      };
    });
  });

  it("is left aside while it is further behind than maxLagMs, and used again when it has caught up", async () => {
    const { saver, logger } = servers.open({ replica: { source: servers.standby.url, maxLagMs: 100 } });
    await putValues(saver, threadConfig(newThread()), {});
    await servers.pause();
    const thread = newThread();
    const { config } = await putValues(saver, threadConfig(thread), {});
    await until(async () => (await stateOf(saver)).fault === "behind");
    const [branch] = (await saver.history(thread)).branches;
    expect(branch?.checkpoints[0]?.checkpointId).toBe(config.configurable?.checkpoint_id);
    expect(await stateOf(saver)).toMatchObject({ isUsed: false, isInRecovery: true });
    expect((await stateOf(saver)).lagMs).toBeGreaterThan(100);
    await servers.resume();
    await until(async () => (await stateOf(saver)).isUsed);
    expect(logger.lines.map(({ level, message }) => [level, message])).toEqual([
      ["warn", LEFT],
      ["info", RETURNED],
    ]);
    expect(logger.lines[0]?.fields).toMatchObject({ fault: "behind" });
    await saver.end();
  });

  it("that dies between two pages of a list loses none of it, and is used again when it is back", async () => {
    const { saver, logger } = servers.open();
    const thread = threadConfig(newThread());
    let last = await putValues(saver, thread, {});
    for (let step = 0; step < 4; step++)
      last = await putValues(saver, last.config, { a: [step] }, last.checkpoint);
    await servers.catchUp();
    const ids = await listIds(saver.list(thread));
    const list = saver.list(thread, { staleReads: true });
    expect((await list.next()).value).toMatchObject({ checkpoint: { id: ids[0] } });
    await servers.standby.crash();
    expect(await listIds(list)).toEqual(ids.slice(1));
    expect((await saver.listThreads()).length).toBeGreaterThan(0);
    expect(logger.at("warn").find(({ message }) => message === LEFT)).toMatchObject({
      fields: { fault: "unreachable" },
    });
    await servers.standby.start();
    expect(await stateOf(saver)).toMatchObject({ isUsed: true });
    expect(logger.at("info")).toMatchObject([{ message: RETURNED }]);
    expect(logger.at("error")).toEqual([]);
    await saver.end();
  });

  it("that does not answer delays a read, which then goes to the primary, and none after it", async () => {
    const proxy = await TcpProxy.open(servers.standby.url);
    const { saver, logger } = servers.open({ replica: proxy.url });
    const release = proxy.stall();
    await putValues(saver, threadConfig(newThread()), {});
    const threads = await saver.listThreads({ staleReads: false });
    expect(await saver.listThreads()).toEqual(threads);
    expect(logger.lines).toMatchObject([{ message: LEFT, fields: { fault: "unreachable" } }]);
    const connections = proxy.count;
    await saver.listThreads();
    expect(proxy.count).toBe(connections);
    release();
    await saver.end();
    await proxy.close();
  });

  it("that stops answering within a read leaves it to the primary, where statements have a time limit", async () => {
    const proxy = await TcpProxy.open(servers.standby.url);
    const { saver, logger } = servers.open({ replica: proxy.url, statementTimeoutMs: 50 });
    await saver.listThreads();
    const release = proxy.stall();
    await putValues(saver, threadConfig(newThread()), {});
    expect(await saver.listThreads()).toEqual(await saver.listThreads({ staleReads: false }));
    expect(logger.lines).toMatchObject([{ message: LEFT, fields: { fault: "unreachable" } }]);
    release();
    await saver.end();
    await proxy.close();
  });

  it("that does not answer is unreachable in the health, also while a read waits for it", async () => {
    const proxy = await TcpProxy.open(servers.standby.url);
    const { saver } = servers.open({ replica: proxy.url });
    const release = proxy.stall();
    const [state] = await Promise.all([stateOf(saver), saver.listThreads()]);
    expect(state).toMatchObject({
      isUsed: false,
      fault: "unreachable",
      error: { code: "CONNECTION_FAILED" },
    });
    release();
    await saver.end();
    await proxy.close();
  });

  it("that does not answer does not outlast the caller's signal", async () => {
    const proxy = await TcpProxy.open(servers.standby.url);
    const { saver } = servers.open({ replica: proxy.url });
    const release = proxy.stall();
    await expect(saver.listThreads({ signal: AbortSignal.timeout(20) })).rejects.toMatchObject({
      name: "AbortError",
    });
    release();
    await saver.end();
    await proxy.close();
  });

  it("that lacks the tables answers no read, and neither does one that is in another database", async () => {
    await servers.pause();
    const { saver, logger } = servers.open({ schema: "later" });
    await saver.setup();
    expect(await saver.listThreads()).toEqual([]);
    expect(logger.lines.at(-1)).toMatchObject({ fields: { fault: "failed", sqlState: "42P01" } });
    await saver.end();
    await servers.resume();
    await servers.onPrimary("create database elsewhere");
    await servers.catchUp();
    const elsewhere = new URL(servers.standby.url);
    elsewhere.pathname = "/elsewhere";
    for (const replica of [elsewhere.href, process.env.CHECKPOINT_TEST_SERVER ?? ""]) {
      const { saver: misled } = servers.open({ replica });
      const threads = await misled.listThreads();
      expect(threads).toEqual(await misled.listThreads({ staleReads: false }));
      expect((await stateOf(misled)).fault).toBe(replica === elsewhere.href ? "other-database" : "promoted");
      await misled.end();
    }
  });

  it("that cancels a read, because it conflicts with what is replayed, is used for the next one", async () => {
    await servers.onPrimary(`
      create role reader login password 'secret';
      grant select on all tables in schema public to reader;
      alter role reader set jit = off;
      create function slow_on_standby() returns boolean language plpgsql stable as
        'begin if pg_is_in_recovery() then perform pg_sleep(600); end if; return true; end';
      create policy slow on checkpoints for select to reader using (slow_on_standby());
      alter table checkpoints enable row level security`);
    const { saver } = servers.open();
    const { config } = await putValues(saver, threadConfig("cancelled"), {});
    await saver.deleteThread("gone");
    await putValues(saver, threadConfig("gone"), {});
    await servers.catchUp();
    const replica = new URL(servers.standby.url);
    Object.assign(replica, { username: "reader", password: "secret" });
    const { saver: reader, logger } = servers.open({ replica: replica.href });
    const read = reader.getTuple(config, { staleReads: true });
    const sleeping = "select from pg_stat_activity where wait_event = 'PgSleep'";
    await until(async () => (await servers.onStandby(sleeping)).length > 0);
    await servers.onStandby("alter system set max_standby_streaming_delay = 0");
    await servers.onStandby("select pg_reload_conf()");
    await saver.deleteThread("gone");
    await servers.onPrimary("vacuum checkpoints");
    expect((await read)?.checkpoint.id).toBe(config.configurable?.checkpoint_id);
    expect(logger.lines).toEqual([]);
    expect(await stateOf(reader)).toMatchObject({ isUsed: true });
    await Promise.all([saver.end(), reader.end()]);
    await servers.onPrimary("alter table checkpoints disable row level security");
  });
});

describe("a replica that is promoted", () => {
  it("serves reads while the primary is down, and none after its promotion, because it may hold what the primary does not", async () => {
    const servers = await Replicated.start();
    const { saver, logger } = servers.open();
    await putValues(saver, threadConfig("stored"), {});
    await servers.catchUp();
    expect(await saver.listThreads()).toHaveLength(1);
    // Nobody can tell how far it is behind a primary that is down, so it is read until `maxLagMs` has passed.
    await servers.primary.crash();
    expect(await saver.listThreads()).toHaveLength(1);
    await servers.primary.start();
    await servers.onStandby("select pg_promote()");
    await servers.onStandby("delete from checkpoints");
    await until(async () => (await saver.listThreads()).length === 1);
    expect(await stateOf(saver)).toEqual({ isUsed: false, fault: "promoted", isInRecovery: false });
    expect(logger.lines.find(({ message }) => message === LEFT)?.fields).toEqual({ fault: "promoted" });
    await saver.end();
    await servers.remove();
  });
});

async function stateOf(saver: PostgresSaver): Promise<ReplicaState> {
  const { ok, replica } = await saver.health();
  // A replica never decides about health.
  expect(ok).toBe(true);
  if (replica === undefined) throw new Error("the health has no replica");
  return replica;
}
