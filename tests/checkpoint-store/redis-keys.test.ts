import { afterAll, expect, it } from "@jest/globals";
import { createClient } from "redis";
import { createCheckpoint } from "../../src/checkpoint-store/index.js";
import { RedisCheckpointStore } from "../../src/checkpoint-store/redis/index.js";
import { describeRedis, openIoRedisStore, openRedisStore, ownPrefix, redisUrl } from "./redis.js";

describeRedis("the keys of a checkpoint store in Redis", () => {
  const opened = createClient({ url: redisUrl() });
  const connected = opened.connect();
  afterAll(() => opened.close());

  it.each([
    ["redis", openRedisStore],
    ["ioredis", openIoRedisStore],
  ])("are those of langgraphgo, written through %s", async (_name, open) => {
    const client = await connected;
    const prefix = ownPrefix();
    await using store = open({ prefix });
    await store.setup();
    const timestamp = new Date("2026-11-22T14:05:06.120Z");
    await store.save(
      createCheckpoint({
        id: "c1",
        executionId: "e1",
        threadId: "t1",
        nodeName: "n",
        state: { a: 1n },
        version: 3,
        timestamp,
      }),
    );
    const keys = await client.keys(`${prefix}*`);
    expect(keys.map((key) => key.slice(prefix.length)).sort()).toEqual([
      "checkpoint:c1",
      "execution:e1:checkpoints",
      "thread:t1:checkpoints",
    ]);
    expect(await client.get(`${prefix}checkpoint:c1`)).toBe(
      '{"id":"c1","node_name":"n","state":{"a":{"lc":2,"type":"constructor","id":["BigInt"],"method":null,"args":["1"],"kwargs":{}}},' +
        '"metadata":{"execution_id":"e1","thread_id":"t1"},"timestamp":"2026-11-22T14:05:06.120Z","version":3}',
    );
    for (const index of ["execution:e1", "thread:t1"]) {
      expect(await client.zRangeWithScores(`${prefix}${index}:checkpoints`, 0, -1)).toEqual([
        { value: "c1", score: 3 },
      ]);
    }
    expect(await client.ttl(`${prefix}checkpoint:c1`)).toBe(-1);
    expect((await store.latest("e1"))?.state).toEqual({ a: 1n });
    expect(await store.clear({ threadId: "t1" })).toBe(1);
    expect(await client.keys(`${prefix}*`)).toEqual([]);
  });

  it("leave a passed-in client open", async () => {
    const store = new RedisCheckpointStore(await connected, { prefix: ownPrefix() });
    await store.setup();
    await store.end();
    expect(await opened.ping()).toBe("PONG");
  });
});
