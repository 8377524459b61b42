import { expect, it } from "@jest/globals";
import { Redis } from "ioredis";
import { createClient, createClientPool, createCluster, createSentinel, RESP_TYPES } from "redis";
import { createCheckpoint } from "../../src/checkpoint-store/index.js";
import { RedisCheckpointStore, type RedisSource } from "../../src/checkpoint-store/redis/index.js";
import { AbortError, ConnectionError, InvalidConfigError } from "../../src/errors/index.js";
import { TcpProxy } from "../../test-support/tcp-proxy.js";
import { until } from "../../test-support/until.js";
import { describeRedis, openRedisStore, ownPrefix, redisUrl } from "./redis.js";

const saved = createCheckpoint({ id: "a", executionId: "e", nodeName: "n", state: ["ä", 1] });

describeRedis("a checkpoint store in Redis", () => {
  it("works on a URL, on options and on open clients, and closes only what it has opened", async () => {
    const url = redisUrl();
    const { hostname, port } = new URL(url);
    const client = createClient({ url });
    await client.connect();
    const pool = createClientPool({ url });
    await pool.connect();
    const ioredis = new Redis(url);
    const lazy = new Redis(url, { lazyConnect: true, stringNumbers: true });
    const oldProtocol = createClient({ url, RESP: 2 });
    await oldProtocol.connect();
    const sources: RedisSource[] = [
      url,
      { url },
      { socket: { host: hostname, port: Number(port) } },
      client,
      client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer }),
      oldProtocol,
      pool,
      ioredis,
      lazy,
    ];
    for (const source of sources) {
      await using store = new RedisCheckpointStore(source, {
        prefix: ownPrefix(),
        concurrency: "optimistic",
      });
      await store.setup();
      await store.save(saved, { keepLast: 2 });
      await store.save(saved);
      expect(await store.load("a")).toEqual(saved);
      expect(await store.list("e")).toEqual([saved]);
      expect(await store.latest("e")).toEqual(saved);
      await expect(store.save({ ...saved, state: 2 })).rejects.toMatchObject({ storedVersion: 1 });
      expect(await store.backend.count({})).toBe(1);
      expect(await store.delete("a")).toBe(true);
      expect(await store.clear("e")).toBe(0);
      await store.end();
      await store.end();
    }
    const pings = [client.ping(), oldProtocol.ping(), pool.ping(undefined), ioredis.ping(), lazy.ping()];
    expect(await Promise.all(pings)).toEqual(Array.from(pings, () => "PONG"));
    await Promise.all([client.close(), oldProtocol.close(), pool.close()]);
    for (const open of [ioredis, lazy]) open.disconnect();
  });

  it("refuses sources that it can't use, before it connects, and shows no password", () => {
    const url = redisUrl();
    const refused: unknown[] = [
      "",
      "localhost:6379",
      "http://user:s3cr3t@host",
      "redis://user:s3cr3t@host:99999",
      "redis://user:s3cr3t%@host",
      "redis://user:s3cr3t@host/name",
      { url: "redis:user:s3cr3t@host:port" },
      undefined,
      1,
      new Redis(url, { lazyConnect: true, keyPrefix: "p:" }),
      createClient({ url, keyPrefix: "p:" }),
      createCluster({ rootNodes: [{ url }] }),
      createSentinel({ name: "m", sentinelRootNodes: [{ host: "h", port: 1 }] }),
    ];
    for (const source of refused) {
      const open = (): unknown => new RedisCheckpointStore(source as RedisSource);
      expect(open).toThrow(InvalidConfigError);
      expect(open).toThrow(/^source: /);
      expect(open).not.toThrow(/s3cr3t/);
    }
  });

  it("refuses options that it does not know or can't use", () => {
    const refused: object[] = [{ ttl: 1 }, { ttlMs: 0 }, { ttlMs: 1.5 }, { prefix: "a\0" }, { retry: true }];
    for (const options of refused) {
      expect(() => new RedisCheckpointStore(redisUrl(), options)).toThrow(InvalidConfigError);
    }
  });

  it("fails at once after its end, and on a client that was closed", async () => {
    const closed = { name: "ConnectionError", transient: false };
    const store = openRedisStore();
    await store.end();
    await expect(store.load("a")).rejects.toMatchObject(closed);
    const used = openRedisStore();
    const saving = used.save(saved);
    await used.end();
    await saving.catch((error: unknown) => {
      expect(error).toBeInstanceOf(ConnectionError);
    });
    await expect(used.load("a")).rejects.toMatchObject(closed);
    const client = createClient({ url: redisUrl() });
    const ioredis = new Redis(redisUrl());
    await until(() => ioredis.status === "ready");
    ioredis.disconnect();
    await until(() => ioredis.status === "end");
    for (const source of [client, ioredis]) {
      await expect(new RedisCheckpointStore(source).load("a")).rejects.toMatchObject(closed);
    }
  });

  it("ends a call by its signal, before it is sent and while it waits", async () => {
    const proxy = await TcpProxy.open(redisUrl());
    const prefix = ownPrefix();
    await using store = new RedisCheckpointStore(proxy.url, { prefix, retry: { maxElapsedMs: 120_000 } });
    await store.setup();
    await expect(store.save(saved, { signal: AbortSignal.abort("why") })).rejects.toMatchObject({
      name: "AbortError",
      cause: "why",
    });
    const release = proxy.stall();
    const controller = new AbortController();
    const calls = [
      store.save(saved, { signal: controller.signal }),
      store.list("e", { signal: controller.signal }),
    ];
    controller.abort();
    for (const call of calls) await expect(call).rejects.toBeInstanceOf(AbortError);
    release();
    // Between its retries.
    await store.setup();
    await proxy.close();
    const retrying = new AbortController();
    const waiting = store.load("a", { signal: retrying.signal });
    retrying.abort();
    await expect(waiting).rejects.toBeInstanceOf(AbortError);
  });
});
