import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import type { BaseCache, CacheFullKey } from "@langchain/langgraph-checkpoint";
import { type Cases, type SuiteCase, suiteOf } from "./suite-case.js";

/** A cache without entries, for one case. */
export interface CacheSubject {
  readonly cache: BaseCache;
  /** Closes it. It is called at the end of the case, whether the case passed or not. */
  close?(): Promise<void>;
}

/** Options of {@link cacheSuite}. */
export interface CacheSuiteOptions {
  /**
   * The unit of the times to live, in seconds: an entry with one of it must have expired after two, and must not before the next call.
   * Raise it for a cache that is slow to reach. Default 0.2.
   */
  readonly ttlUnitSeconds?: number | undefined;
}

interface Scene {
  readonly cache: BaseCache;
  readonly unitSeconds: number;
}

const at = (key: string, namespace: string[] = ["ns"]): CacheFullKey => [namespace, key];

/**
 * Returns cases that any cache of LangGraph should pass: LangGraph's own tests of its caches, and what graphs rely on without a test.
 *
 * @param create - Creates a cache without entries. Each case calls it once.
 *
 * @example
 * ```ts
 * describe("my cache", () => {
 *   for (const each of cacheSuite(async () => ({ cache: new MyCache() }))) it(each.name, () => each.run());
 * });
 * ```
 */
export function cacheSuite(
  create: () => Promise<CacheSubject>,
  { ttlUnitSeconds: unitSeconds = 0.2 }: CacheSuiteOptions = {},
): readonly SuiteCase[] {
  return suiteOf(CASES, create, ({ cache }) => ({ cache, unitSeconds }));
}

const CASES: Cases<Scene, never> = {
  "gets an entry that was set": async ({ cache }) => {
    await cache.set([{ key: at("k"), value: "v" }]);
    assert.deepEqual(await cache.get([at("k")]), [{ key: at("k"), value: "v" }]);
  },

  "gets several entries that were set together": async ({ cache }) => {
    const pairs = [1, 2, 3].map((n) => ({ key: at(`k${n}`), value: { n } }));
    await cache.set(pairs);
    const keys = pairs.map(({ key }) => key);
    assert.deepEqual(await sorted(cache, keys), pairs);
  },

  "gets nothing for a key that was not set": async ({ cache }) => {
    assert.deepEqual(await cache.get([at("none")]), []);
    await cache.set([{ key: at("k"), value: 1 }]);
    assert.deepEqual(await cache.get([at("none"), at("k")]), [{ key: at("k"), value: 1 }]);
  },

  "replaces an entry, with its time": async ({ cache, unitSeconds }) => {
    await cache.set([{ key: at("k"), value: 1, ttl: unitSeconds }]);
    await cache.set([{ key: at("k"), value: 2 }]);
    await pause(unitSeconds * 2_000);
    assert.deepEqual(await valuesOf(cache, [at("k")]), [2]);
  },

  "lets an entry expire after a fraction of a second": async ({ cache, unitSeconds }) => {
    await cache.set([{ key: at("k"), value: 1, ttl: unitSeconds }]);
    await pause(unitSeconds * 2_000);
    assert.deepEqual(await cache.get([at("k")]), []);
  },

  "gets an entry that has not expired yet": async ({ cache, unitSeconds }) => {
    await cache.set([
      { key: at("k"), value: 1, ttl: unitSeconds * 100 },
      { key: at("ever"), value: 2 },
    ]);
    await pause(unitSeconds * 1_000);
    assert.deepEqual(await valuesOf(cache, [at("k"), at("ever")]), [1, 2]);
  },

  "stores nothing that has no time to live": async ({ cache }) => {
    await cache.set([
      { key: at("zero"), value: 1, ttl: 0 },
      { key: at("negative"), value: 1, ttl: -1 },
    ]);
    assert.deepEqual(await cache.get([at("zero"), at("negative")]), []);
  },

  "removes an entry that is set without time to live": async ({ cache }) => {
    await cache.set([{ key: at("k"), value: 1 }]);
    await cache.set([{ key: at("k"), value: 2, ttl: 0 }]);
    assert.deepEqual(await cache.get([at("k")]), []);
  },

  "keeps namespaces apart": async ({ cache }) => {
    await cache.set([
      { key: at("k", ["a"]), value: 1 },
      { key: at("k", ["b"]), value: 2 },
    ]);
    assert.deepEqual(await valuesOf(cache, [at("k", ["a"]), at("k", ["b"])]), [1, 2]);
    assert.deepEqual(await cache.get([at("k", ["c"])]), []);
  },

  "keeps a namespace apart from those below it": async ({ cache }) => {
    const keys = await setIn(cache, [["a"], ["a", "b"], ["a", "b", "c"]]);
    assert.deepEqual(await valuesOf(cache, keys), [0, 1, 2]);
  },

  "keeps labels apart, whatever they contain": async ({ cache }) => {
    const namespaces = [["a", "b"], ["a,b"], ["a:b"], ["a.b"], ["a/b"], ['a","b'], ["a|b"], ["ab"]];
    const keys = await setIn(cache, namespaces);
    assert.deepEqual(await valuesOf(cache, keys), [...keys.keys()]);
  },

  "takes keys and labels that objects have themselves": async ({ cache }) => {
    const names = ["toString", "constructor", "__proto__", "hasOwnProperty"];
    await cache.set([{ key: at("k"), value: 0 }]);
    assert.deepEqual(await cache.get(names.map((name) => at(name))), []);
    assert.deepEqual(await cache.get(names.map((name) => at("k", [name]))), []);
    const keys = names.flatMap((name) => [at(name), at("k", [name])]);
    await cache.set(keys.map((key, value) => ({ key, value })));
    assert.deepEqual(await valuesOf(cache, keys), [...keys.keys()]);
  },

  "clears a namespace": async ({ cache }) => {
    await cache.set([
      { key: at("k", ["a"]), value: 1 },
      { key: at("l", ["a"]), value: 2 },
      { key: at("k", ["b"]), value: 3 },
    ]);
    await cache.clear([["a"]]);
    assert.deepEqual(await cache.get([at("k", ["a"]), at("l", ["a"])]), []);
    assert.deepEqual(await valuesOf(cache, [at("k", ["b"])]), [3]);
  },

  "clears several namespaces, without those below them": async ({ cache }) => {
    const keys = await setIn(cache, [["a"], ["a", "b"], ["ab"], ["c"]]);
    await cache.clear([["a"], ["c"], ["none"]]);
    assert.deepEqual(await valuesOf(cache, keys), [1, 2]);
  },

  "clears everything for an empty list": async ({ cache }) => {
    const keys = await setIn(cache, [["a"], ["b", "c"], []]);
    await cache.clear([]);
    assert.deepEqual(await cache.get(keys), []);
    await cache.clear([]);
  },

  "does nothing for empty lists": async ({ cache }) => {
    assert.deepEqual(await cache.get([]), []);
    await cache.set([]);
  },

  "answers a key once that was asked for twice": async ({ cache }) => {
    await cache.set([{ key: at("k"), value: 1 }]);
    assert.deepEqual(await valuesOf(cache, [at("k"), at("k"), at("none"), at("none")]), [1]);
  },

  "keeps the last of equal keys": async ({ cache }) => {
    await cache.set([1, 2, 3].map((value) => ({ key: at("k"), value })));
    assert.deepEqual(await valuesOf(cache, [at("k")]), [3]);
  },

  "finds null, an empty list and an empty text": async ({ cache }) => {
    const values = [null, [], "", 0, false];
    await cache.set(values.map((value, n) => ({ key: at(`k${n}`), value })));
    const keys = values.map((_, n) => at(`k${n}`));
    assert.deepEqual(await valuesOf(cache, keys), values);
  },

  "gets the writes of a task as LangGraph sets them": async ({ cache }) => {
    const writes = [
      ["messages", [{ role: "ai", content: "yes" }]],
      ["__no_writes__", null],
    ];
    const key = at("0f", ["__pregel_ns_writes", "__dynamic__", "node"]);
    await cache.set([{ key, value: writes }]);
    assert.deepEqual(await valuesOf(cache, [key]), [writes]);
  },

  "returns copies": async ({ cache }) => {
    const value = { list: [1] };
    await cache.set([{ key: at("k"), value }]);
    value.list.push(2);
    const [first] = await valuesOf(cache, [at("k")]);
    assert.deepEqual(first, { list: [1] });
    Object.assign(first as object, { list: [3] });
    assert.deepEqual(await valuesOf(cache, [at("k")]), [{ list: [1] }]);
  },

  "takes concurrent calls": async ({ cache }) => {
    const keys = Array.from({ length: 20 }, (_, n) => at(`k${n % 5}`));
    await Promise.all(keys.map((key, value) => cache.set([{ key, value }])));
    const found = await Promise.all(keys.map((key) => cache.get([key])));
    assert.deepEqual(
      found.map(({ length }) => length),
      keys.map(() => 1),
    );
  },
};

/** Sets an entry in each of some namespaces: their places among them. Returns their keys. */
async function setIn(cache: BaseCache, namespaces: readonly string[][]): Promise<CacheFullKey[]> {
  const keys = namespaces.map((namespace) => at("k", namespace));
  await cache.set(keys.map((key, value) => ({ key, value })));
  return keys;
}

/** The values of the entries that were found, in the order of `keys`. */
async function valuesOf(cache: BaseCache, keys: CacheFullKey[]): Promise<unknown[]> {
  return (await sorted(cache, keys)).map(({ value }) => value);
}

/** A cache may answer in any order. */
async function sorted(cache: BaseCache, keys: CacheFullKey[]) {
  const positions = new Map(keys.map((key, position) => [JSON.stringify(key), position]));
  const positionOf = ({ key }: { key: CacheFullKey }) => positions.get(JSON.stringify(key)) ?? -1;
  return (await cache.get(keys)).sort((one, other) => positionOf(one) - positionOf(other));
}
