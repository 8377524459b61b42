import { expect, it } from "@jest/globals";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { Send } from "@langchain/langgraph";
import type { CacheFullKey } from "@langchain/langgraph-checkpoint";
import { InvalidConfigError } from "../../src/index.js";
import { describeAnyTarget, describeEachTarget, describeServer } from "../../test-support/targets.js";
import { later, useCache } from "./cached.js";

const NS = ["__pregel_ns_writes", "__dynamic__", "node"];
const at = (key: string, namespace: string[] = NS): CacheFullKey => [namespace, key];

describeEachTarget("an entry", (target) => {
  const suite = useCache(target);

  it("comes back equal, also one of messages, tasks and values that JSON lacks", async () => {
    const { cache } = suite;
    const values: unknown[] = [
      [["messages", [new HumanMessage("hi"), new AIMessage({ content: "yes", id: "1" })]]],
      [["__pregel_tasks", new Send("node", { n: 1 })]],
      [["__no_writes__", null]],
      { at: new Date(5), seen: new Set(["a"]), big: 2n ** 70n, bytes: Uint8Array.of(0, 255), not: undefined },
      null,
      undefined,
      "\0",
      new Uint8Array(100_000).fill(7),
    ];
    await cache.set(values.map((value, n) => ({ key: at(`k${n}`), value })));
    const found = await cache.get(values.map((_, n) => at(`k${n}`)));
    expect(found.map(({ value }) => value)).toEqual(values);
    expect(found.map(({ key }) => key)).toEqual(values.map((_, n) => at(`k${n}`)));
  });

  it("is answered once, however often it was asked for", async () => {
    const { cache } = suite;
    await cache.set([{ key: at("k"), value: 1 }]);
    expect(await cache.get([at("none"), at("k"), at("k"), at("k")])).toEqual([{ key: at("k"), value: 1 }]);
    expect(cache.counts).toMatchObject({ unreadable: 0, refused: 0, skipped: 0 });
  });

  it("has the last value of equal keys", async () => {
    const { cache, database } = suite;
    await cache.set([1, 2, 3].map((value) => ({ key: at("k"), value })));
    expect(await cache.get([at("k")])).toMatchObject([{ value: 3 }]);
    await cache.set([{ key: at("k"), value: "four" }]);
    expect(await cache.get([at("k")])).toMatchObject([{ value: "four" }]);
    expect(await database.query("select size from cache_entries")).toEqual([{ size: 5 }]);
  });

  it("belongs to the whole namespace, whatever its labels contain", async () => {
    const { cache } = suite;
    const namespaces = [
      [],
      [""],
      ["a"],
      ["a", "b"],
      ["a,b"],
      ['a","b'],
      ["a:b"],
      ["a.b"],
      ["toString"],
      ["\0"],
    ];
    await cache.set(namespaces.map((namespace, value) => ({ key: at("k", namespace), value })));
    const found = await cache.get(namespaces.map((namespace) => at("k", namespace)));
    expect(found.map(({ value }) => value)).toEqual(namespaces.map((_, value) => value));
  });

  it("may have any key, also that of an object's own methods", async () => {
    const { cache } = suite;
    await cache.set([{ key: at("other"), value: 0 }]);
    for (const key of ["toString", "constructor", "__proto__", ""]) {
      expect(await cache.get([at(key)])).toEqual([]);
      await cache.set([{ key: at(key), value: key }]);
      expect(await cache.get([at(key)])).toEqual([{ key: at(key), value: key }]);
    }
  });

  it("expires after a fraction of a second, by the server's clock", async () => {
    const { cache, database } = suite;
    await cache.set([
      { key: at("short"), value: 1, ttl: 0.5 },
      { key: at("long"), value: 2, ttl: 5 },
      { key: at("ever"), value: 3 },
      { key: at("eternal"), value: 4, ttl: Infinity },
    ]);
    const left = await database.query(
      "select key, extract(epoch from expires_at - created_at)::float8 as s from cache_entries order by key",
    );
    expect(left).toEqual([
      { key: "eternal", s: null },
      { key: "ever", s: null },
      { key: "long", s: 5 },
      { key: "short", s: 0.5 },
    ]);
    await database.exec(later(1));
    const found = await cache.get(["short", "long", "ever", "eternal"].map((key) => at(key)));
    expect(found.map(({ value }) => value)).toEqual([2, 3, 4]);
    expect(await cache.sweep()).toBe(1);
  });

  it.each([0, -1, -Infinity])("with the ttl %p is not stored, and removes what is there", async (ttl) => {
    const { cache, database } = suite;
    await cache.set([
      { key: at("old"), value: 1 },
      { key: [["else"], "new"], value: 5 },
    ]);
    await cache.set([
      { key: at("old"), value: 2, ttl },
      { key: at("new"), value: 3, ttl },
      { key: at("other"), value: 4 },
    ]);
    expect(await cache.get([at("old"), at("new"), at("other")])).toMatchObject([{ value: 4 }]);
    const stored = () => database.query("select namespace, key from cache_entries order by key");
    const others = [
      { namespace: '["else"]', key: "new" },
      { namespace: JSON.stringify(NS), key: "other" },
    ];
    expect((await stored()).filter(({ key }) => key !== "old")).toEqual(others);
    await cache.sweep();
    expect(await stored()).toEqual(others);
  });
});

describeAnyTarget("a cache", (target) => {
  const suite = useCache(target);

  it("clears exactly the given namespaces, or all of its prefix", async () => {
    const { cache } = suite;
    const graph = suite.open({ keyPrefix: "graph" });
    const namespaces = [["a"], ["a", "b"], ["ab"], ["b"], []];
    const pairs = namespaces.map((namespace) => ({ key: at("k", namespace), value: namespace }));
    const keys = pairs.map(({ key }) => key);
    const left = async (of: typeof cache) => (await of.get(keys)).map(({ value }) => value);
    await cache.set(pairs);
    await graph.set(pairs);
    await cache.clear([["a"], ["none"]]);
    expect(await left(cache)).toEqual([["a", "b"], ["ab"], ["b"], []]);
    await cache.clear([[]]);
    expect(await left(cache)).toEqual([["a", "b"], ["ab"], ["b"]]);
    await graph.clear([]);
    expect(await left(graph)).toEqual([]);
    expect(await left(cache)).toEqual([["a", "b"], ["ab"], ["b"]]);
    await graph.set(pairs);
    await cache.clear([]);
    expect(await left(cache)).toEqual([]);
    expect(await left(graph)).toEqual(namespaces);
  });

  it.each([undefined, null, "a", [["a"], [1]]])(
    "refuses to clear %j, and keeps what is there",
    async (bad) => {
      const { cache } = suite;
      await cache.set([{ key: [["a"], "k"], value: 1 }]);
      await expect(cache.clear(bad as never)).rejects.toBeInstanceOf(InvalidConfigError);
      expect(await cache.get([[["a"], "k"]])).toHaveLength(1);
    },
  );

  it("clears a namespace with those below it, by whole labels", async () => {
    const { cache } = suite;
    const namespaces = [["a"], ["a", "b"], ["a", "b", "c"], ["a", "bc"], ['a","b']];
    const keys = namespaces.map((namespace) => at("k", namespace));
    const left = async () => (await cache.get(keys)).map(({ value }) => value);
    await cache.set(namespaces.map((namespace) => ({ key: at("k", namespace), value: namespace })));
    await cache.clearPrefix(["a", "b"]);
    expect(await left()).toEqual([["a"], ["a", "bc"], ['a","b']]);
    await cache.clearPrefix([]);
    expect(await left()).toEqual([]);
  });

  it("shares nothing between prefixes, whatever they contain", async () => {
    const prefixes = [undefined, "a", "b", '["x"]', '"', "a:b"];
    const caches = prefixes.map((keyPrefix) => suite.open({ keyPrefix }));
    for (const [n, cache] of caches.entries()) await cache.set([{ key: at("k", ["x"]), value: n }]);
    const found = await Promise.all(caches.map((cache) => cache.get([at("k", ["x"])])));
    expect(found.map(([entry]) => entry?.value)).toEqual(prefixes.map((_, n) => n));
    await caches[1]?.clear([]);
    const left = await Promise.all(caches.map((cache) => cache.get([at("k", ["x"])])));
    expect(left.map(({ length }) => length)).toEqual([1, 0, 1, 1, 1, 1]);
    const below = at("k", ["x", "y"]);
    for (const cache of caches) await cache.set([{ key: below, value: 1 }]);
    await caches[2]?.clearPrefix(["x"]);
    const counts = caches.map(async (cache) => (await cache.get([at("k", ["x"]), below])).length);
    expect(await Promise.all(counts)).toEqual([2, 1, 0, 2, 2, 2]);
  });

  it("lets an entry live for `defaultTtl` where it has no ttl of its own", async () => {
    const { database } = suite;
    const cache = suite.open({ defaultTtl: 60 });
    await cache.set([
      { key: at("default"), value: 1 },
      { key: at("own"), value: 1, ttl: 5 },
    ]);
    await database.exec(later(30));
    expect(await cache.get([at("default"), at("own")])).toMatchObject([{ key: at("default") }]);
  });

  it("counts what can't be decoded as missing", async () => {
    const { database } = suite;
    const cache = suite.open();
    await cache.set(["a", "b", "c"].map((key) => ({ key: at(key), value: key })));
    await database.exec("update cache_entries set type = 'msgpack', value = '\\xc1' where key = 'a'");
    await database.exec("update cache_entries set type = 'unknown' where key = 'b'");
    expect(await cache.get(["a", "b", "c", "d"].map((key) => at(key)))).toMatchObject([{ value: "c" }]);
    expect(cache.counts).toEqual({ hit: 1, miss: 1, unreadable: 2, stored: 3, refused: 0, skipped: 0 });
  });

  it("leaves out what can't be stored, and stores the rest", async () => {
    const cache = suite.open({ maxValueBytes: 1_000 });
    // Three bytes say how long a text is.
    const good = { key: at("good"), value: "x".repeat(997) };
    await cache.set([
      { key: at("function"), value: () => 1 },
      { key: at("long"), value: "x".repeat(998) },
      { key: at("nan"), value: 1, ttl: Number.NaN },
      { key: at("a\0b"), value: 1 },
      { key: at("k".repeat(3_000)), value: 1 },
      { key: ["no list" as never, "k"], value: 1 },
      good,
    ]);
    expect(cache.counts).toMatchObject({ stored: 1, refused: 6 });
    expect(await cache.get([at("a\0b"), at("k".repeat(3_000)), at("good")])).toEqual([good]);
  });
});

describeServer("concurrent calls", (target) => {
  const suite = useCache(target);

  it("that change the same entries in opposite orders never deadlock", async () => {
    const cache = suite.open({ retry: false });
    const keys = Array.from({ length: 30 }, (_, n) => at(`k${n}`));
    // Each order removes other entries, which the other one stores.
    const pairsOf = (order: CacheFullKey[]) =>
      order.map((key, n) => ({ key, value: n, ...(n % 3 === 0 && { ttl: 0 }) }));
    await Promise.all(
      Array.from({ length: 40 }, async (_, n) => {
        await cache.set(pairsOf(n % 2 === 0 ? keys : keys.toReversed()));
        if (n % 4 === 0) await cache.clear([NS]);
        if (n % 4 === 1) await cache.sweep();
      }),
    );
    expect(cache.counts).toMatchObject({ stored: 40 * 20, skipped: 0 });
  });
});
