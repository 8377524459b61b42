import assert from "node:assert/strict";
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import { batch, foundIn, keysOf, put, touch } from "./item-checks.js";
import type { StoreCase } from "./store-case.js";

/** What a store promises about the pages of a search. */
export const searchCases: readonly StoreCase[] = [
  {
    name: "a search in an empty store, or in a namespace without items, finds nothing",
    check: async (store) => {
      assert.deepEqual(await store.search([]), []);
      await store.put(["a"], "k", {});
      assert.deepEqual(await store.search(["b"], { filter: { n: 1 } }), []);
    },
  },
  {
    name: "a found item has its value, key, namespace and times, and no score without a query",
    check: async (store) => {
      await store.put(["a", "b"], "k", { n: 1 });
      const [item] = await store.search(["a"]);
      assert.deepEqual([item?.value, item?.key, item?.namespace], [{ n: 1 }, "k", ["a", "b"]]);
      assert.ok(item?.createdAt instanceof Date && item.updatedAt instanceof Date);
      assert.equal(item.score, undefined);
    },
  },
  {
    name: "a search returns 10 items unless it asks for more or less",
    check: async (store) => {
      await fill(store, 12);
      assert.equal((await store.search(["p"])).length, 10);
      assert.equal((await store.search(["p"], { limit: 11 })).length, 11);
      assert.equal((await store.search(["p"], { limit: 100 })).length, 12);
      assert.equal((await store.search(["p"], { limit: 0 })).length, 0);
      assert.equal((await store.search(["p"], { offset: 5 })).length, 7);
      assert.equal((await store.search(["p"], { offset: 12 })).length, 0);
    },
  },
  {
    name: "pages follow one order, without a gap or a repetition",
    check: async (store) => {
      const keys = await fill(store, 25);
      const all = keysOf(await store.search(["p"], { limit: 100 }));
      const paged: string[] = [];
      for (let offset = 0; offset < keys.length; offset += 4)
        paged.push(...keysOf(await store.search(["p"], { limit: 4, offset })));
      assert.deepEqual(paged, all);
      assert.deepEqual([...paged].sort(), keys);
    },
  },
  {
    name: "a filter applies before the page is chosen",
    check: async (store) => {
      await fill(store, 25);
      const even = keysOf(await store.search(["p"], { limit: 100, filter: { even: true } }));
      assert.equal(even.length, 13);
      const page = await store.search(["p"], { limit: 5, offset: 6, filter: { even: true } });
      assert.deepEqual(keysOf(page), even.slice(6, 11));
    },
  },
  {
    name: "the item that was updated last comes first",
    check: async (store) => {
      for (const key of ["a", "b", "c"]) await touch(store, ["p"], key);
      assert.deepEqual(keysOf(await store.search(["p"])), ["c", "b", "a"]);
      await touch(store, ["p"], "b");
      assert.deepEqual(keysOf(await store.search(["p"])), ["b", "c", "a"]);
    },
  },
  {
    name: "a search of a batch returns the same items in the same order",
    check: async (store) => {
      for (const key of ["a", "b", "c"]) await touch(store, ["p"], key);
      await touch(store, ["p"], "a");
      const searched = keysOf(await store.search(["p"], { limit: 2, offset: 1 }));
      const [batched] = await batch(store, [{ namespacePrefix: ["p"], limit: 2, offset: 1 }]);
      assert.deepEqual(keysOf(foundIn(batched)), searched);
    },
  },
];

/** Stores items that are equal in what they are sorted by, as far as one batch can. Returns their keys. */
async function fill(store: BaseStore, count: number): Promise<string[]> {
  const keys = Array.from({ length: count }, (_, nth) => `k${String(nth).padStart(2, "0")}`);
  await store.batch(keys.map((key, nth) => put(["p", `n${nth % 3}`], key, { even: nth % 2 === 0 })));
  return keys;
}
