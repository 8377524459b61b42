import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { Redis } from "ioredis";
import { createClient, type RedisClientType } from "redis";
import { createCheckpoint, type ExecutionCheckpoint } from "../../src/checkpoint-store/index.js";
import { RedisCheckpointStore } from "../../src/checkpoint-store/redis/index.js";
import { ConnectionError, PermissionError } from "../../src/errors/index.js";
import { RedisServer } from "../../test-support/redis-server.js";
import { TcpProxy } from "../../test-support/tcp-proxy.js";
import { until } from "../../test-support/until.js";
import { describeOwnRedis, ownPrefix } from "./redis.js";
import { expectSoundIndexes } from "./redis-indexes.js";

const PATIENT = { retry: { maxElapsedMs: 120_000 } };

function checkpoint(id: string, state: unknown = id): ExecutionCheckpoint {
  return createCheckpoint({ id, executionId: "e", threadId: "t", nodeName: "n", state });
}

async function connected(url: string): Promise<RedisClientType> {
  const client: RedisClientType = createClient({ url });
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

describeOwnRedis("a checkpoint store in Redis, when its server fails", () => {
  it("has every acknowledged save after the server was killed, where each is written to the disk", async () => {
    const server = await RedisServer.open(["--appendonly", "yes", "--appendfsync", "always", "--save", ""]);
    await using store = new RedisCheckpointStore(server.url, { retry: false });
    const lent = new Redis(server.url, { maxRetriesPerRequest: 0, enableOfflineQueue: false });
    lent.on("error", () => undefined);
    const other = new RedisCheckpointStore(lent, { retry: false });
    await Promise.all([store.setup(), until(() => lent.status === "ready")]);
    const acknowledged: string[] = [];
    const write = async (writer: RedisCheckpointStore, name: string): Promise<void> => {
      for (let n = 0; ; n += 1) {
        try {
          await writer.save({ ...checkpoint(`${name}${n}`), timestamp: new Date(n) });
        } catch (error) {
          expect(error).toBeInstanceOf(ConnectionError);
          return;
        }
        acknowledged.push(`${name}${n}`);
      }
    };
    const writers = ["a", "b", "c", "d"].map((name) => write(store, name));
    const others = ["i", "j"].map((name) => write(other, name));
    await until(() => acknowledged.length > 100);
    await server.kill();
    await Promise.all([...writers, ...others]);
    await server.start();
    await using patient = new RedisCheckpointStore(server.url, PATIENT);
    const stored = new Set((await patient.list("e")).map(({ id }) => id));
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    const client = await connected(server.url);
    await expectSoundIndexes(client, "langgraph:");
    await client.close();
    lent.disconnect();
    await server.close();
  });

  it("goes on by itself when the server is back, within its retries", async () => {
    const server = await RedisServer.open();
    await using store = new RedisCheckpointStore(server.url, PATIENT);
    await using hasty = new RedisCheckpointStore(server.url, { retry: false });
    await Promise.all([store.save(checkpoint("before")), hasty.setup()]);
    await server.kill();
    const failure = hasty.save(checkpoint("never"));
    await expect(failure).rejects.toBeInstanceOf(ConnectionError);
    await expect(failure).rejects.toMatchObject({ transient: true });
    const saving = store.save(checkpoint("during"));
    await server.start();
    await saving;
    await hasty.save(checkpoint("after"));
    expect((await store.list("e")).map(({ id }) => id).sort()).toEqual(["after", "during"]);
    await server.close();
  });

  it("repeats what a lost connection has left open", async () => {
    const server = await RedisServer.open();
    const proxy = await TcpProxy.open(server.url);
    await using store = new RedisCheckpointStore(proxy.url, { ...PATIENT, concurrency: "optimistic" });
    await store.setup();
    const ids = Array.from({ length: 30 }, (_, n) => `c${String(n).padStart(2, "0")}`);
    for (const [n, id] of ids.entries()) {
      if (n % 3 === 0) proxy.cutNext("toClient");
      if (n % 3 === 1) proxy.cutNext("toServer");
      await store.save({ ...checkpoint(id), timestamp: new Date(n) });
    }
    expect((await store.list("e")).map(({ id }) => id)).toEqual(ids);
    await store.end();
    await proxy.close();
    await server.close();
  });

  it("gives a server up that no longer answers, after the time of the options, and connects anew", async () => {
    const server = await RedisServer.open();
    const proxy = await TcpProxy.open(server.url);
    const source = { url: proxy.url, socket: { socketTimeout: 50 } };
    await using store = new RedisCheckpointStore(source, PATIENT);
    await store.setup();
    const forget = proxy.blackHole();
    await store.save(checkpoint("a"));
    expect(await store.load("a")).toMatchObject({ state: "a" });
    await store.end();
    forget();
    await proxy.close();
    await server.close();
  });

  it("waits for a replica to be promoted, and then writes to it", async () => {
    const settings = ["--save", "", "--repl-diskless-sync-delay", "0"];
    const [old, standby] = await Promise.all([RedisServer.open(settings), RedisServer.open(settings)]);
    const proxy = await TcpProxy.open(old.url);
    await using store = new RedisCheckpointStore(proxy.url, PATIENT);
    await using reader = new RedisCheckpointStore(standby.url, { retry: false });
    await store.save(checkpoint("a"));
    const [oldClient, standbyClient] = await Promise.all([connected(old.url), connected(standby.url)]);
    await standbyClient.sendCommand(["REPLICAOF", "127.0.0.1", String(old.port)]);
    await until(async () => (await reader.list("e").catch(() => [])).length === 1);
    await expect(reader.save(checkpoint("x"))).rejects.toMatchObject({
      name: "DatabaseError",
      transient: true,
    });

    // A list on a replica leaves the stale entry, since it can't write.
    await oldClient.zAdd("langgraph:execution:e:checkpoints", { value: "gone", score: 1 });
    await until(async () => (await standbyClient.zCard("langgraph:execution:e:checkpoints")) === 2);
    expect((await reader.list("e")).map(({ id }) => id)).toEqual(["a"]);

    // The old server becomes a replica. The store's connection to it stays open, and the name leads elsewhere.
    await standbyClient.sendCommand(["REPLICAOF", "NO", "ONE"]);
    await oldClient.sendCommand(["REPLICAOF", "127.0.0.1", String(standby.port)]);
    const saving = store.save(checkpoint("b"));
    proxy.switchTo(standby.url);
    await saving;
    expect((await reader.list("e")).map(({ id }) => id)).toEqual(["a", "b"]);
    await Promise.all([store.end(), reader.end(), oldClient.close(), standbyClient.close()]);
    await proxy.close();
    await Promise.all([old.close(), standby.close()]);
  });

  it("stores nothing of a checkpoint for which there is no memory", async () => {
    const server = await RedisServer.open(["--save", "", "--maxmemory-policy", "noeviction"]);
    await using store = new RedisCheckpointStore(server.url);
    const client = await connected(server.url);
    await store.save(checkpoint("a"));
    await store.save(checkpoint("b"));
    await client.configSet("maxmemory", "1");
    const moved = { ...checkpoint("a", "new"), metadata: { execution_id: "f" } };
    const failure: unknown = await store.save(moved, { keepLast: 1 }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: "DatabaseError", transient: false });
    expect(String(failure)).toContain("OOM");
    expect((await store.list("e")).map(({ state }) => state)).toEqual(["a", "b"]);
    await expectSoundIndexes(client, "langgraph:");
    expect(await store.delete("b")).toBe(true);
    await client.configSet("maxmemory", "0");
    await store.save(moved);
    expect(await store.list("e")).toEqual([]);
    await Promise.all([store.end(), client.close()]);
    await server.close();
  });
});

describeOwnRedis("a checkpoint store in a Redis with passwords", () => {
  const PASSWORD = "s3cr3t-of-the-test";
  let server: RedisServer;
  beforeAll(async () => {
    server = await RedisServer.open(["--save", "", "--requirepass", PASSWORD]);
  });
  afterAll(() => server.close());

  function urlFor(user: string, password: string): string {
    const url = new URL(server.url);
    return `redis://${user}:${password}@${url.host}`;
  }

  it("names what it may not do, and shows no password", async () => {
    await using admin = new RedisCheckpointStore(urlFor("", PASSWORD), { prefix: ownPrefix() });
    await admin.setup();
    const client = await connected(urlFor("default", PASSWORD));
    await client.sendCommand([
      "ACL",
      "SETUSER",
      "reader",
      "on",
      `>${PASSWORD}`,
      "~*",
      "+@read",
      "+@connection",
    ]);
    await client.close();
    const sources = [
      [server.url, "NOAUTH"],
      [urlFor("default", `wrong-${PASSWORD}`), "WRONGPASS"],
      [urlFor("nobody", PASSWORD), "WRONGPASS"],
      [urlFor("reader", PASSWORD), "NOPERM"],
    ] as const;
    for (const [url, code] of sources) {
      await using store = new RedisCheckpointStore(url);
      const failure: unknown = await store.save(checkpoint("a")).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(PermissionError);
      expect(String(failure)).toContain(code);
      expect(String(failure) + String(Reflect.get(Object(failure), "cause"))).not.toContain(PASSWORD);
    }
  });

  it("is not healthy where it would refuse a save, and health() writes nothing", async () => {
    const server = await RedisServer.open([]);
    await using store = new RedisCheckpointStore(server.url);
    const client = await connected(server.url);
    const health = async (): Promise<unknown> => {
      const { ok, error } = await store.health();
      return [ok, error?.code];
    };
    expect(await health()).toEqual([true, undefined]);
    expect(await client.keys("*")).toEqual([]);
    await client.sendCommand(["CONFIG", "SET", "maxmemory", "1"]);
    expect(await health()).toEqual([false, "DATABASE_ERROR"]);
    await client.sendCommand(["CONFIG", "SET", "maxmemory", "0"]);
    await client.sendCommand(["REPLICAOF", "127.0.0.1", "1"]);
    expect(await health()).toEqual([false, "DATABASE_ERROR"]);
    await client.close();
    await server.close();
  });
});
