import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createClient } from "redis";
import { z } from "zod";
import { copyCheckpoints, createCheckpoint } from "../../src/checkpoint-store/index.js";
import { RedisCheckpointStore } from "../../src/checkpoint-store/redis/index.js";
import { InvalidConfigError } from "../../src/errors/index.js";
import { goCheckpoints, type GoVersion, readFixture } from "./langgraphgo/fixture.js";
import { goOnCases } from "./langgraphgo/shared-cases.js";
import { describeRedis, ownPrefix, redisUrl } from "./redis.js";

const GO_PREFIX = "langgraph:";

/** What `encoding/json` reads into the struct of Go's checkpoints. It has no other fields. */
const goRecord = z.strictObject({
  id: z.string(),
  node_name: z.string(),
  state: z.unknown(),
  metadata: z.record(z.string(), z.unknown()).nullable(),
  timestamp: z.iso.datetime({ offset: true }),
  version: z.int(),
});

function readCommands(version: GoVersion): string[][] {
  return z.array(z.array(z.string())).parse(JSON.parse(readFixture(`redis-${version}.json`)));
}

describeRedis("keys of langgraphgo in Redis", () => {
  const client = createClient({ url: redisUrl() });
  beforeAll(async () => {
    await client.connect();
  });
  afterAll(() => client.close());

  /** Makes the keys under another prefix: the server is shared. */
  async function load(version: GoVersion): Promise<string> {
    const prefix = ownPrefix();
    for (const [name = "", key = "", ...rest] of readCommands(version)) {
      await client.sendCommand([name, prefix + key.slice(GO_PREFIX.length), ...rest]);
    }
    return prefix;
  }

  /** Reads every record and every index as the stores of v0.8.5 do. Returns the ids of the records. */
  async function readAsGo(prefix: string): Promise<string[]> {
    const ids: string[] = [];
    for (const key of await client.keys(`${prefix}checkpoint:*`)) {
      const record = goRecord.parse(JSON.parse((await client.get(key)) ?? ""));
      expect(key).toBe(`${prefix}checkpoint:${record.id}`);
      ids.push(record.id);
      for (const kind of ["execution", "thread"]) {
        const scope = record.metadata?.[`${kind}_id`];
        if (typeof scope !== "string") continue;
        expect(await client.zScore(`${prefix}${kind}:${scope}:checkpoints`, record.id)).toBe(record.version);
      }
    }
    return ids;
  }

  describe("v0.8.5", () => {
    let prefix: string;
    let store: RedisCheckpointStore;
    beforeAll(async () => {
      prefix = await load("v0.8.5");
      store = new RedisCheckpointStore(redisUrl(), { prefix });
      await store.setup();
    });
    afterAll(() => store.end());

    goOnCases("v0.8.5", () => store);

    it("are as Go reads them, after all of these changes", async () => {
      const ids = await readAsGo(prefix);
      expect(ids).toEqual(expect.arrayContaining(["checkpoint_moved", "ours_1", "value_integers"]));
      expect(await client.get(`${prefix}checkpoint:ours_2`)).toBe(
        '{"id":"ours_2","node_name":"ours","state":{"before":{"step":11},"n":2},' +
          '"metadata":{"execution_id":"exec_run","thread_id":"user-9"},' +
          '"timestamp":"2025-12-06T02:00:01.002Z","version":14}',
      );
      // Loaded and saved again, with every digit.
      const commands = readCommands("v0.8.5");
      for (const id of ["value_integers", "value_floats", "value_nested", "value_go"]) {
        const text = commands.find(([, key]) => key === `${GO_PREFIX}checkpoint:${id}`)?.[2];
        const saved = await client.get(`${prefix}checkpoint:${id}`);
        expect(saved).toBe(text?.replace(/("timestamp":"[^".]*)Z/, "$1.000Z"));
      }
    });

    it("may be written by Go between two calls", async () => {
      const saved =
        '{"id":"go","node_name":"n","state":{"n":1},"metadata":{"execution_id":"exec_both","thread_id":"both"},' +
        '"timestamp":"2025-12-06T10:00:00.000000001+08:00","version":2}';
      const fields = { id: "ours", executionId: "exec_both", threadId: "both", nodeName: "n", state: 0 };
      await store.save(createCheckpoint({ ...fields, timestamp: new Date("2025-12-06T02:00:00Z") }));
      // The pipeline of Go's Save.
      await client.set(`${prefix}checkpoint:go`, saved);
      await client.zAdd(`${prefix}execution:exec_both:checkpoints`, { score: 2, value: "go" });
      await client.zAdd(`${prefix}thread:both:checkpoints`, { score: 2, value: "go" });
      expect((await store.list("exec_both")).map(({ id }) => id)).toEqual(["ours", "go"]);
      expect((await store.latest({ threadId: "both" }))?.state).toEqual({ n: 1 });
      // The pipeline of Go's Clear, which leaves the index of the thread.
      await client.del([`${prefix}checkpoint:go`, `${prefix}checkpoint:ours`]);
      await client.del(`${prefix}execution:exec_both:checkpoints`);
      expect(await store.list({ threadId: "both" })).toEqual([]);
      expect(await store.latest("exec_both")).toBeUndefined();
    });
  });

  describe("v0.5.0", () => {
    let prefix: string;
    let store: RedisCheckpointStore;
    beforeAll(async () => {
      prefix = await load("v0.5.0");
      store = new RedisCheckpointStore(redisUrl(), { prefix });
      await store.setup();
    });
    afterAll(() => store.end());

    it("with sets as indexes are refused by the name of the key, and stay as they are", async () => {
      const index = `${prefix}execution:exec_run:checkpoints`;
      const before = await client.sMembers(index);
      const checkpoint = createCheckpoint({ id: "ours", executionId: "exec_run", nodeName: "n", state: 1 });
      const calls = [
        () => store.list("exec_run"),
        () => store.latest("exec_run"),
        () => store.save(checkpoint),
        () => store.clear("exec_run"),
      ];
      for (const call of calls) {
        const error = await call().catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(InvalidConfigError);
        expect(String(error)).toContain(index);
      }
      expect(await client.sMembers(index)).toEqual(before);
      expect(await client.exists(`${prefix}checkpoint:ours`)).toBe(0);
    });

    it("are loaded by id", async () => {
      for (const checkpoint of goCheckpoints("v0.5.0")) {
        expect(await store.load(checkpoint.id)).toEqual(checkpoint);
      }
    });

    describe("copied to another prefix", () => {
      let target: string;
      let copy: RedisCheckpointStore;
      beforeAll(async () => {
        target = ownPrefix();
        copy = new RedisCheckpointStore(redisUrl(), { prefix: target });
        await copyCheckpoints(store, copy);
      });
      afterAll(() => copy.end());

      goOnCases("v0.5.0", () => copy);

      it("are as v0.8.5 reads them", async () => {
        expect(await readAsGo(target)).toContain("value_go");
      });
    });
  });
});
