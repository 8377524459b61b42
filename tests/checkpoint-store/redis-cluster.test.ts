import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { Cluster } from "ioredis";
import { createClient } from "redis";
import { createCheckpoint } from "../../src/checkpoint-store/index.js";
import { RedisCheckpointStore } from "../../src/checkpoint-store/redis/index.js";
import { InvalidConfigError } from "../../src/errors/index.js";
import { RedisServer } from "../../test-support/redis-server.js";
import { until } from "../../test-support/until.js";
import { describeOwnRedis } from "./redis.js";

const saved = createCheckpoint({ id: "a", executionId: "e", threadId: "t", nodeName: "n", state: 1 });

describeOwnRedis("a checkpoint store in a Redis cluster", () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await RedisServer.open([
      "--save",
      "",
      "--cluster-enabled",
      "yes",
      "--cluster-announce-ip",
      "127.0.0.1",
    ]);
    const client = createClient({ url: server.url });
    await client.connect();
    await client.sendCommand(["CLUSTER", "ADDSLOTSRANGE", "0", "16383"]);
    await until(async () => (await client.clusterInfo()).includes("cluster_state:ok"));
    await client.close();
  });
  afterAll(() => server.close());

  it("refuses a prefix that spreads its keys, by the name of the option", async () => {
    await using store = new RedisCheckpointStore(server.url);
    const saving = store.save(saved);
    await expect(saving).rejects.toBeInstanceOf(InvalidConfigError);
    await expect(saving).rejects.toMatchObject({ field: "options.prefix" });
    await expect(store.load("a")).rejects.toThrow("checkpoint not found: a");
  });

  it("keeps all keys together below a prefix in braces", async () => {
    const cluster = new Cluster([server.url]);
    for (const source of [server.url, cluster]) {
      await using store = new RedisCheckpointStore(source, { prefix: "{langgraph}:" });
      await store.save(saved);
      await store.save({ ...saved, metadata: { execution_id: "f" } }, { keepLast: 1 });
      expect(await store.list("e")).toEqual([]);
      expect(await store.list("f")).toHaveLength(1);
      expect(await store.backend.count({})).toBe(1);
      expect(await store.clear("f")).toBe(1);
    }
    cluster.disconnect();
  });
});
