import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import pg from "pg";
import { PostgresSaver } from "../../src/index.js";
import { loadBuilds } from "../../test-support/builds.js";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { type EmbeddedServer, startEmbeddedServer } from "../../test-support/embedded-server.js";
import { TcpProxy } from "../../test-support/tcp-proxy.js";
import { until } from "../../test-support/until.js";

const builds = await loadBuilds("index");

const THREADS = 20;
const CONNECTIONS = 5;

describe("a saver whose server is read-only for a while", () => {
  let server: EmbeddedServer;
  let admin: pg.Client;
  const atEnd: (() => Promise<void>)[] = [];

  beforeEach(async () => {
    server = await startEmbeddedServer();
    admin = await connect(server.url);
  });
  afterEach(async () => {
    for (const close of atEnd.splice(0).reverse()) await close();
    await admin.end();
    await server.remove();
  });

  /** Makes the server read-only, as a demoted server is, or one whose provider has found its storage full. */
  async function setReadOnly(isReadOnly: boolean): Promise<void> {
    await admin.query(`alter system set default_transaction_read_only = ${isReadOnly ? "on" : "off"}`);
    await admin.query("select pg_reload_conf()");
    const state =
      "select setting = $1 as holds from pg_settings where name = 'default_transaction_read_only'";
    await until(() => isTrue(admin, state, isReadOnly ? "on" : "off"));
  }

  /**
   * Waits until as many attempts have failed on the server as there are connections. A connection that ends
   * reports its statistics at once.
   */
  async function untilWritesFail(): Promise<void> {
    const failures =
      "select xact_rollback >= $1 as holds from pg_stat_database where datname = current_database()";
    await until(() => isTrue(admin, failures, CONNECTIONS));
  }

  it("stores all pending writes once the server is writable again, and reads meanwhile, in both builds", async () => {
    const savers = builds.map(
      ([, ours]) => new ours.PostgresSaver({ connectionString: server.url, max: CONNECTIONS }),
    );
    for (const saver of savers) await saver.setup();
    const before = await Promise.all(
      savers.map((saver) => putValues(saver, threadConfig(newThread()), { a: ["before"] })),
    );
    await setReadOnly(true);
    const pending = savers.map(writeAll);
    const deleted = Promise.all(savers.map((saver) => saver.deleteThread("none")));
    await untilWritesFail();
    for (const [n, { config, checkpoint }] of before.entries()) {
      expect(pending[n]?.settled()).toBe(0);
      expect((await savers[n]?.getTuple(config))?.checkpoint).toMatchObject({ id: checkpoint.id });
    }
    await setReadOnly(false);
    for (const writes of pending) await writes.expectStored();
    await deleted;
    for (const saver of savers) await saver.end();
  });

  it("rejects with the server's error without retries", async () => {
    await using saver = new PostgresSaver(server.url, undefined, { retry: false });
    await saver.setup();
    await setReadOnly(true);
    const put = () => putValues(saver, threadConfig(newThread()), { a: 1 });
    await expect(put()).rejects.toMatchObject({ sqlState: "25006", transient: true });
    await expect(saver.batch((batch) => batch.deleteThread("1"))).rejects.toMatchObject({
      sqlState: "25006",
    });
    await setReadOnly(false);
    await put();
  });

  it("moves to the successor, although the old server keeps its connections open", async () => {
    const successor = await startEmbeddedServer();
    atEnd.push(() => successor.remove());
    const proxy = await TcpProxy.open(server.url);
    atEnd.push(() => proxy.close());
    const saver = new PostgresSaver({ connectionString: proxy.url, max: CONNECTIONS });
    atEnd.push(() => saver.end());
    const successorAdmin = await connect(successor.url);
    atEnd.push(() => successorAdmin.end());
    await successorAdmin.query(`alter role postgres password '${new URL(server.url).password}'`);
    await saver.setup();
    proxy.switchTo(successor.url);
    await using onSuccessor = PostgresSaver.fromConnString(proxy.url);
    await onSuccessor.setup();
    proxy.switchTo(server.url);
    await putValues(saver, threadConfig("before"), { a: 1 });

    await setReadOnly(true);
    const pending = writeAll(saver);
    await untilWritesFail();
    expect(pending.settled()).toBe(0);
    proxy.switchTo(successor.url);
    await pending.expectStored();

    const stored = "select count(distinct thread_id) = $1 as holds from checkpoints";
    expect(await isTrue(admin, stored, 1)).toBe(true);
    expect(await isTrue(successorAdmin, stored, 2 * THREADS)).toBe(true);
  });
});

/** Starts writes of all kinds in many threads at once. */
function writeAll(saver: PostgresSaver): { settled(): number; expectStored(): Promise<void> } {
  let settled = 0;
  const writes = Array.from({ length: THREADS }, async () => {
    const { config } = await putValues(saver, threadConfig(newThread()), { a: ["put"] });
    settled++;
    await saver.putWrites(config, [["a", "written"]], "task");
    const batched = newThread();
    await saver.batch(async (batch) => {
      await batch.deleteThread(batched);
      const tuple = await saver.getTuple(config);
      if (tuple?.checkpoint === undefined) throw new Error("an acknowledged checkpoint is missing");
      await batch.put(threadConfig(batched), tuple.checkpoint, { source: "fork", step: 0, parents: {} }, {});
    });
    return { config, batched };
  });
  return {
    settled: () => settled,
    expectStored: async () => {
      for (const { config, batched } of await Promise.all(writes)) {
        const tuple = await saver.getTuple(config);
        expect(tuple?.checkpoint.channel_values).toEqual({ a: ["put"] });
        expect(tuple?.pendingWrites).toEqual([["task", "a", "written"]]);
        expect((await saver.getTuple(threadConfig(batched)))?.metadata?.source).toBe("fork");
      }
    },
  };
}

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return client;
}

async function isTrue(client: pg.Client, sql: string, parameter: unknown): Promise<boolean> {
  const { rows } = await client.query<{ holds: boolean }>(sql, [parameter]);
  return rows[0]?.holds === true;
}
