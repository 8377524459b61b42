import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { createClient, type RedisClientType } from "redis";
import { createCheckpoint } from "../../src/checkpoint-store/index.js";
import { until } from "../../test-support/until.js";
import { describeRedis, openRedisStore, ownPrefix, redisUrl } from "./redis.js";
import { storedIndexes } from "./redis-indexes.js";

const DAY_MS = 86_400_000;

function checkpoint(id: string): ReturnType<typeof createCheckpoint> {
  return createCheckpoint({ id, executionId: "e", threadId: "t", nodeName: "n", state: id });
}

describeRedis("a checkpoint store in Redis whose checkpoints expire", () => {
  let client: RedisClientType;
  let prefix: string;
  beforeAll(async () => {
    client = createClient({ url: redisUrl() });
    await client.connect();
  });
  afterAll(() => client.close());

  async function expiries(): Promise<number[]> {
    const keys = [`${prefix}execution:e:checkpoints`, `${prefix}thread:t:checkpoints`];
    return Promise.all(keys.map((key) => client.pTTL(key)));
  }

  it("lists no expired checkpoint, and removes its entries then", async () => {
    prefix = ownPrefix();
    await using short = openRedisStore({ prefix, ttlMs: 20 });
    await using long = openRedisStore({ prefix, ttlMs: DAY_MS });
    await long.save(checkpoint("long"));
    await short.save(checkpoint("short"));
    await until(async () => (await client.exists(`${prefix}checkpoint:short`)) === 0);
    expect(await storedIndexes(client, prefix)).toEqual({
      "execution:e:checkpoints": { long: 1, short: 1 },
      "thread:t:checkpoints": { long: 1, short: 1 },
    });
    await expect(long.load("short")).rejects.toThrow("checkpoint not found: short");
    expect((await long.list("e")).map(({ id }) => id)).toEqual(["long"]);
    expect((await long.latest({ threadId: "t" }))?.id).toBe("long");
    expect(await storedIndexes(client, prefix)).toEqual({
      "execution:e:checkpoints": { long: 1 },
      "thread:t:checkpoints": { long: 1 },
    });
  });

  it("keeps an index as long as its longest checkpoint", async () => {
    prefix = ownPrefix();
    await using hour = openRedisStore({ prefix, ttlMs: DAY_MS / 24 });
    await using day = openRedisStore({ prefix, ttlMs: DAY_MS });
    await using forEver = openRedisStore({ prefix });
    await hour.save(checkpoint("a"));
    for (const rest of await expiries()) expect(rest).toBeLessThanOrEqual(DAY_MS / 24);
    await day.save(checkpoint("b"));
    await hour.save(checkpoint("c"));
    for (const rest of await expiries()) expect(rest).toBeGreaterThan(DAY_MS / 2);
    await forEver.save(checkpoint("d"));
    await hour.save(checkpoint("e"));
    expect(await expiries()).toEqual([-1, -1]);
  });

  it("gives a checkpoint the time of its last save", async () => {
    prefix = ownPrefix();
    await using hour = openRedisStore({ prefix, ttlMs: DAY_MS / 24 });
    await using forEver = openRedisStore({ prefix });
    await forEver.save(checkpoint("a"));
    await hour.save(checkpoint("a"));
    expect(await client.pTTL(`${prefix}checkpoint:a`)).toBeGreaterThan(0);
    await forEver.save(checkpoint("a"));
    expect(await client.pTTL(`${prefix}checkpoint:a`)).toBe(-1);
  });

  it("counts no expired checkpoint among those to keep", async () => {
    prefix = ownPrefix();
    await using short = openRedisStore({ prefix, ttlMs: 20 });
    await using store = openRedisStore({ prefix });
    await store.save({ ...checkpoint("old"), timestamp: new Date(1) });
    await store.save({ ...checkpoint("older"), timestamp: new Date(0) });
    await short.save(checkpoint("short"));
    await until(async () => (await client.exists(`${prefix}checkpoint:short`)) === 0);
    await store.save(checkpoint("new"), { keepLast: 2 });
    expect((await store.list("e")).map(({ id }) => id)).toEqual(["old", "new"]);
  });
});
