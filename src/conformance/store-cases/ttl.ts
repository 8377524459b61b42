import assert from "node:assert/strict";
import {
  keysIn,
  putOf,
  touch,
  withStoreOptions,
  type StoreCases,
  type StoreScene,
  type SuiteStoreOptions,
  type TtlStore,
} from "./store-checks.js";
import { casesOf } from "../suite-case.js";

const REFRESHING: SuiteStoreOptions = { ttl: { defaultTtl: 10, refreshOnRead: true } };
const NOT_REFRESHING: SuiteStoreOptions = { ttl: { defaultTtl: 10, refreshOnRead: false } };

/** Each way to read an item. */
const READS: Readonly<Record<string, (store: TtlStore) => Promise<unknown>>> = {
  get: (store) => store.get(["t"], "k"),
  search: (store) => store.search(["t"]),
  "a search with a query": (store) => store.search(["t"], { query: "word" }),
  "a get of a batch": (store) => store.batch([{ namespace: ["t"], key: "k" }]),
  "a search of a batch": (store) => store.batch([{ namespacePrefix: ["t"] }]),
};

/** Ways to read an item, and not to start its time again. */
const SILENT_READS: typeof READS = {
  get: (store) => store.get(["t"], "k", { refreshTtl: false }),
  search: (store) => store.search(["t"], { refreshTtl: false }),
};

/** What a store promises about items with a time to live, in minutes. */
export const ttlCases: StoreCases = {
  "an item lives as long as its put says": async ({ store, elapse }) => {
    await store.put(["t"], "short", {}, undefined, { ttl: 5 });
    await store.put(["t"], "long", {}, undefined, { ttl: 60 });
    await store.put(["t"], "eternal", {});
    assert.deepEqual(await aliveOf(store), ["eternal", "long", "short"]);
    await elapse(6);
    assert.deepEqual(await aliveOf(store), ["eternal", "long"]);
    assert.equal(await store.get(["t"], "short"), null);
    assert.notEqual(await store.get(["t"], "long"), null);
    await elapse(60);
    assert.deepEqual(await aliveOf(store), ["eternal"]);
  },

  "an item may live for a fraction of a minute": async ({ store, elapse }) => {
    await store.put(["t"], "k", {}, undefined, { ttl: 0.5 });
    assert.deepEqual(await aliveOf(store), ["k"]);
    await elapse(0.6);
    assert.deepEqual(await aliveOf(store), []);
  },

  ...withStoreOptions(NOT_REFRESHING, {
    "an item lives as long as the options of the store say, unless its put says otherwise": async (scene) => {
      const { store, elapse } = scene;
      await store.put(["t"], "default", {});
      await store.batch([putOf(["t"], "of a batch")]);
      await store.put(["t"], "long", {}, undefined, { ttl: 60 });
      await elapse(11);
      assert.deepEqual(await aliveOf(store), ["long"]);
    },

    "null lets an item live for ever, whatever the options of the store say": async ({ store, elapse }) => {
      await store.put(["t"], "k", {}, undefined, { ttl: null });
      await elapse(10_000);
      assert.deepEqual(await aliveOf(store), ["k"]);
    },
  }),

  "a put decides anew how long an item lives": async ({ store, elapse }) => {
    await store.put(["t"], "k", {}, undefined, { ttl: 5 });
    await store.put(["t"], "k", {}, undefined, { ttl: 60 });
    await store.put(["t"], "eternal", {}, undefined, { ttl: 5 });
    await store.put(["t"], "eternal", {});
    await elapse(30);
    assert.deepEqual(await aliveOf(store), ["eternal", "k"]);
  },

  ...Object.fromEntries(
    [0, -1, Number.NaN].map((ttl) => [
      `a time to live of ${ttl} is refused`,
      async ({ store }: StoreScene) => {
        await assert.rejects(store.put(["t"], "k", {}, undefined, { ttl }), "it is not refused");
        assert.deepEqual(await aliveOf(store), []);
      },
    ]),
  ),

  "the namespace of an expired item is not listed": async ({ store, elapse }) => {
    await store.put(["gone"], "k", {}, undefined, { ttl: 5 });
    await store.put(["gone", "below"], "k", {}, undefined, { ttl: 5 });
    await store.put(["t"], "k", {});
    await elapse(6);
    assert.deepEqual(await store.listNamespaces(), [["t"]]);
    assert.deepEqual(await store.listNamespaces({ maxDepth: 1 }), [["t"]]);
  },

  "a page is full although items before it have expired": async ({ store, elapse }) => {
    for (let nth = 0; nth < 6; nth++) {
      await store.put(["t"], `gone${nth}`, {}, undefined, { ttl: 5 });
      await store.put(["t"], `kept${nth}`, {});
    }
    await elapse(6);
    const pages = [0, 2, 4].map((offset) => store.search(["t"], { limit: 2, offset }));
    const paged = (await Promise.all(pages)).map(keysIn);
    assert.deepEqual(
      paged.map(({ length }) => length),
      [2, 2, 2],
    );
    assert.deepEqual(paged.flat().sort(), ["kept0", "kept1", "kept2", "kept3", "kept4", "kept5"]);
  },

  ...withStoreOptions(
    REFRESHING,
    casesOf(
      "a read starts the time of an item again, its own time",
      READS,
      async (read, scene: StoreScene) => {
        const { store, elapse } = scene;
        await store.put(["t"], "k", { text: "word" }, undefined, { ttl: 60 });
        for (let nth = 0; nth < 3; nth++) {
          await elapse(40);
          await read(store);
        }
        await elapse(59);
        assert.deepEqual(await aliveOf(store), ["k"]);
        await elapse(2);
        assert.deepEqual(await aliveOf(store), []);
      },
    ),
  ),

  ...withStoreOptions(
    REFRESHING,
    casesOf("a read never revives an expired item", READS, async (read, { store, elapse }: StoreScene) => {
      await store.put(["t"], "k", { text: "word" });
      await elapse(11);
      await read(store);
      assert.deepEqual(await aliveOf(store), []);
      assert.equal(await store.get(["t"], "k"), null);
    }),
  ),

  ...withStoreOptions(
    NOT_REFRESHING,
    casesOf(
      "a read does not start the time again where the store says so",
      READS,
      async (read, { store, elapse }: StoreScene) => {
        await store.put(["t"], "k", { text: "word" });
        await elapse(6);
        await read(store);
        await elapse(6);
        assert.deepEqual(await aliveOf(store), []);
      },
    ),
  ),

  ...withStoreOptions(
    REFRESHING,
    casesOf(
      "a read does not start the time again where it says so",
      SILENT_READS,
      async (read, { store, elapse }: StoreScene) => {
        await store.put(["t"], "k", {});
        await elapse(6);
        await read(store);
        await elapse(6);
        assert.deepEqual(await aliveOf(store), []);
      },
    ),
  ),

  ...withStoreOptions(
    { ttl: { refreshOnRead: true } },
    {
      "a read gives no time to an item that lives for ever": async ({ store, elapse }) => {
        await store.put(["t"], "k", {});
        for (const read of Object.values(READS)) await read(store);
        await elapse(10_000);
        assert.deepEqual(await aliveOf(store), ["k"]);
      },
    },
  ),

  ...withStoreOptions(REFRESHING, {
    "a read that starts the time again changes neither the time of update nor the order": async (scene) => {
      const { store } = scene;
      for (const key of ["a", "b", "c"]) await touch(store, ["t"], key);
      const before = await store.search(["t"], { refreshTtl: false });
      await store.get(["t"], "a");
      await store.search(["t"], { limit: 2, offset: 1 });
      const after = await store.search(["t"], { refreshTtl: false });
      const shown = ({ key, updatedAt }: (typeof before)[number]) => [key, updatedAt.getTime()];
      assert.deepEqual(after.map(shown), before.map(shown));
    },
  }),
};

/** The keys of the items that live, sorted. It starts no time again. */
async function aliveOf(store: TtlStore): Promise<string[]> {
  return keysIn(await store.search(["t"], { refreshTtl: false, limit: 100 })).sort();
}
