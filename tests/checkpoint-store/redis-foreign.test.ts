import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "@jest/globals";
import { createClient, type RedisClientType } from "redis";
import { createCheckpoint, type ReadRecord } from "../../src/checkpoint-store/index.js";
import type { RedisCheckpointStore } from "../../src/checkpoint-store/redis/index.js";
import { CorruptCheckpointError, InvalidConfigError } from "../../src/errors/index.js";
import { describeRedis, openRedisStore, ownPrefix, redisUrl } from "./redis.js";
import { expectSoundIndexes, storedIndexes } from "./redis-indexes.js";

describeRedis("a checkpoint store in Redis that other programs write to", () => {
  let client: RedisClientType;
  let prefix: string;
  let store: RedisCheckpointStore;
  beforeAll(async () => {
    client = createClient({ url: redisUrl() });
    await client.connect();
  });
  beforeEach(() => {
    prefix = ownPrefix();
    store = openRedisStore({ prefix });
  });
  afterEach(() => store.end());
  afterAll(() => client.close());

  /** Writes what Go's encoder writes for langgraphgo. */
  async function writeGo(id: string, rest: string, version = 1): Promise<void> {
    await client.set(
      `${prefix}checkpoint:${id}`,
      `{"id":"${id}","node_name":"step:[a b]","state":{"count":9007199254740993,"html":"\\u003cb\\u003e","f":1e2},${rest},"version":${version}}`,
    );
    await client.zAdd(`${prefix}execution:exec_1:checkpoints`, { value: id, score: version });
  }

  it("reads the checkpoints of langgraphgo to the nanosecond, and goes on", async () => {
    const metadata = '"metadata":{"execution_id":"exec_1","event":"step"}';
    // Equal up to the millisecond, in the opposite order of their ids, versions and texts.
    await writeGo("c", `${metadata},"timestamp":"2025-12-06T23:30:00.123456788+09:30"`, 3);
    await writeGo("b", `${metadata},"timestamp":"2025-12-06T14:00:00.123456789Z"`, 2);
    await writeGo("a", `${metadata},"timestamp":"2025-12-06T11:30:00.12345679-02:30"`, 1);
    await writeGo("d", `${metadata},"timestamp":"2025-12-06T14:00:00Z"`, 1);
    const ids = ["d", "c", "b", "a"];
    expect((await store.list("exec_1")).map(({ id }) => id)).toEqual(ids);
    expect((await store.list("exec_1", { limit: 3 })).map(({ id }) => id)).toEqual(ids.slice(0, 3));
    expect(await store.latest("exec_1")).toEqual({
      id: "a",
      nodeName: "step:[a b]",
      state: { count: 9007199254740993n, html: "<b>", f: 100 },
      metadata: { execution_id: "exec_1", event: "step" },
      timestamp: new Date("2025-12-06T14:00:00.123Z"),
      version: 1,
    });
    await store.save(createCheckpoint({ id: "e", executionId: "exec_1", nodeName: "n", state: 1 }), {
      keepLast: 3,
    });
    expect((await store.list("exec_1")).map(({ id }) => id)).toEqual(["b", "a", "e"]);
    await expectSoundIndexes(client, prefix);
  });

  it("reads a checkpoint without metadata, and one with other fields and spaces", async () => {
    await writeGo("none", '"metadata":null,"timestamp":"0001-01-01T00:00:00Z"');
    expect(await store.load("none")).toMatchObject({
      metadata: null,
      timestamp: new Date("0001-01-01T00:00:00Z"),
    });
    const other = {
      version: 2,
      more: [1],
      timestamp: "2026-01-01T00:00:00Z",
      state: { metadata: {} },
      node_name: "",
      id: "other",
    };
    await client.set(`${prefix}checkpoint:other`, JSON.stringify(other, null, 2));
    expect(await store.load("other")).toMatchObject({ state: { metadata: {} }, metadata: null, version: 2 });
    await store.save(createCheckpoint({ id: "other", executionId: "exec_1", nodeName: "n", state: 1 }));
    expect((await store.list("exec_1")).map(({ id }) => id)).toEqual(["other"]);
  });

  it("leaves out, and removes, what langgraphgo has left in an index after a move", async () => {
    await store.save(createCheckpoint({ id: "moved", executionId: "exec_2", nodeName: "n", state: 1 }));
    await client.zAdd(`${prefix}execution:exec_1:checkpoints`, { value: "moved", score: 1 });
    expect(await store.clear("exec_1")).toBe(0);
    await client.zAdd(`${prefix}execution:exec_1:checkpoints`, { value: "moved", score: 1 });
    expect(await store.list("exec_1")).toEqual([]);
    await expectSoundIndexes(client, prefix);
    expect((await store.list("exec_2")).map(({ id }) => id)).toEqual(["moved"]);
  });

  it("refuses an index of the first langgraphgo by its key, and stores nothing", async () => {
    const key = `${prefix}execution:exec_1:checkpoints`;
    await client.sAdd(key, "old");
    const calls = [
      store.save(createCheckpoint({ id: "c", executionId: "exec_1", nodeName: "n", state: 1 })),
      store.list("exec_1"),
      store.latest("exec_1"),
      store.clear("exec_1"),
    ];
    for (const call of await Promise.allSettled(calls)) {
      expect(call).toMatchObject({
        status: "rejected",
        reason: { field: "options.prefix", name: "InvalidConfigError" },
      });
      expect(String(Reflect.get(call, "reason"))).toContain(key);
    }
    expect(await client.exists(`${prefix}checkpoint:c`)).toBe(0);
    await client.hSet(`${prefix}checkpoint:hash`, "a", "b");
    await expect(store.load("hash")).rejects.toThrow(InvalidConfigError);
    await expect(store.load("hash")).rejects.toThrow(`${prefix}checkpoint:hash`);
  });

  it.each([
    ["no JSON", "{"],
    ["no object", "[]"],
    ["empty", ""],
    [
      "another id",
      '{"id":"x","node_name":"","state":1,"metadata":null,"timestamp":"2026-01-01T00:00:00Z","version":1}',
    ],
    [
      "no state",
      '{"id":"bad","node_name":"","metadata":null,"timestamp":"2026-01-01T00:00:00Z","version":1}',
    ],
    [
      "no time",
      '{"id":"bad","node_name":"","state":1,"metadata":null,"timestamp":"2026-13-01T00:00:00Z","version":1}',
    ],
    [
      "half a version",
      '{"id":"bad","node_name":"","state":1,"metadata":null,"timestamp":"2026-01-01T00:00:00Z","version":1.5}',
    ],
    [
      "metadata that is a list",
      '{"id":"bad","node_name":"","state":1,"metadata":[1],"timestamp":"2026-01-01T00:00:00Z","version":1}',
    ],
  ])("names a damaged record: %s", async (_name, text) => {
    await store.save(createCheckpoint({ id: "good", executionId: "exec_1", nodeName: "n", state: 1 }));
    await client.zAdd(`${prefix}execution:exec_1:checkpoints`, { value: "bad", score: 1 });
    await client.set(`${prefix}checkpoint:bad`, text);
    await expect(store.load("bad")).rejects.toThrow(CorruptCheckpointError);
    await expect(store.load("bad")).rejects.toMatchObject({ checkpointId: "bad" });
    expect(await store.delete("bad")).toBe(true);
    expect(await store.delete("bad")).toBe(false);
    expect((await store.list("exec_1")).map(({ id }) => id)).toEqual(["good"]);
  });

  it("fails a list with a damaged record, keeps that out of keepLast, and clears it", async () => {
    await client.zAdd(`${prefix}execution:exec_1:checkpoints`, { value: "bad", score: 1 });
    await client.set(`${prefix}checkpoint:bad`, "{");
    await store.save(createCheckpoint({ id: "good", executionId: "exec_1", nodeName: "n", state: 1 }), {
      keepLast: 1,
    });
    for (const call of [store.list("exec_1"), store.latest("exec_1")]) {
      await expect(call).rejects.toMatchObject({ name: "CorruptCheckpointError", checkpointId: "bad" });
    }
    expect(await store.clear("exec_1")).toBe(2);
    expect(await client.keys(`${prefix}*`)).toEqual([]);
    await client.set(`${prefix}checkpoint:bad`, "{");
    await store.save(createCheckpoint({ id: "bad", executionId: "exec_1", nodeName: "n", state: 1 }));
    expect((await store.latest("exec_1"))?.id).toBe("bad");
  });

  it("keeps ids apart that look like keys, patterns or Lua", async () => {
    const ids = [
      "a:b",
      "execution:e:checkpoints",
      "*",
      "[a-z]?",
      "{x}",
      " a\nb ",
      "'); redis.call('FLUSHALL') --",
      "%d+",
      "\u{1F600}",
      '"',
    ];
    for (const id of ids) {
      await store.save(createCheckpoint({ id, executionId: id, threadId: id, nodeName: id, state: id }));
    }
    await expectSoundIndexes(client, prefix);
    for (const id of ids) {
      expect((await store.list(id)).map((found) => found.state)).toEqual([id]);
      expect((await store.latest({ threadId: id }))?.id).toBe(id);
    }
    const call = {};
    expect(await store.backend.count(call)).toBe(ids.length);
    const pages: ReadRecord[] = [];
    for await (const page of store.backend.pages("*", call)) pages.push(...page);
    const sorted = [...ids].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
    expect(pages.map((read) => ("id" in read ? read.id : read))).toEqual(
      sorted.slice(sorted.indexOf("*") + 1),
    );
    for (const id of ids) expect(await store.clear(id)).toBe(1);
    expect(await client.keys(`${prefix}*`)).toEqual([]);
  });

  it("lists and copies more records than one command reads", async () => {
    const ids = Array.from({ length: 250 }, (_, n) => `c${String(n).padStart(3, "0")}`);
    await Promise.all(
      ids.map((id, n) =>
        store.save(
          createCheckpoint({
            id,
            executionId: "many",
            nodeName: "n",
            state: n,
            timestamp: new Date(n),
            version: 250 - n,
          }),
        ),
      ),
    );
    expect((await store.list("many")).map(({ id }) => id)).toEqual(ids);
    expect((await store.list("many", { limit: 150, order: "desc" })).map(({ id }) => id)).toEqual(
      [...ids].reverse().slice(0, 150),
    );
    const sizes: number[] = [];
    for await (const page of store.backend.pages(undefined, {})) sizes.push(page.length);
    expect(sizes).toEqual([100, 100, 50]);
    expect(await store.clear("many")).toBe(250);
    expect(await storedIndexes(client, prefix)).toEqual({});
  });

  it("returns a state nested too deep for the scripts' JSON, and finds what surrounds it", async () => {
    let state: unknown = 1;
    for (let depth = 0; depth < 900; depth += 1)
      state = depth % 2 === 0 ? { metadata: state } : [state, '","metadata":'];
    const metadata = { execution_id: "exec_1", metadata: { metadata: '},"metadata":{', execution_id: "no" } };
    const saved = { id: "deep", nodeName: "n", state, metadata, timestamp: new Date(0), version: 1 };
    await store.save(saved);
    await store.save({ ...saved, metadata: { ...metadata, execution_id: "exec_2" } });
    await expectSoundIndexes(client, prefix);
    expect((await store.latest("exec_2"))?.state).toEqual(state);
    expect(await store.list("no")).toEqual([]);
  });
});
