import assert from "node:assert/strict";
import type { Operation } from "@langchain/langgraph-checkpoint";
import { batch, foundIn, itemIn, keysOf, put } from "./item-checks.js";
import type { StoreCase } from "./store-case.js";

/** What `batch` promises. */
export const batchCases: readonly StoreCase[] = [
  {
    name: "a batch of nothing returns nothing",
    check: async (store) => {
      assert.deepEqual(await store.batch([]), []);
    },
  },
  {
    name: "the results of a batch are in the order of its operations",
    check: async (store) => {
      await store.batch([put(["a"], "one", { n: 1 }), put(["a", "b"], "two", { n: 2 })]);
      const operations: Operation[] = [
        { namespace: ["a"], key: "one" },
        put(["c"], "three", {}),
        { namespacePrefix: ["a"], filter: { n: 2 }, limit: 5, offset: 0 },
        { namespace: ["a"], key: "absent" },
        { matchConditions: [{ matchType: "prefix", path: ["a"] }], maxDepth: 2, limit: 10, offset: 0 },
        { namespace: ["a"], key: "one", value: null },
      ];
      for (const order of [
        [0, 1, 2, 3, 4, 5],
        [4, 2, 5, 0, 3, 1],
      ]) {
        await store.put(["a"], "one", { n: 1 });
        await store.delete(["c"], "three");
        const results = await batch(
          store,
          order.map((nth) => operations[nth] ?? put(["x"], "x")),
        );
        const [one, three, found, absent, namespaces, deleted] = operations.map(
          (_, nth): unknown => results[order.indexOf(nth)],
        );
        assert.deepEqual(itemIn(one).value, { n: 1 });
        assert.deepEqual(keysOf(foundIn(found)), ["two"]);
        assert.deepEqual(namespaces, [["a"], ["a", "b"]]);
        assert.deepEqual([three ?? null, absent, deleted ?? null], [null, null, null]);
        assert.notEqual(await store.get(["c"], "three"), null);
        assert.equal(await store.get(["a"], "one"), null);
      }
    },
  },
  {
    name: "a batch lists namespaces without conditions",
    check: async (store) => {
      await store.put(["a"], "k", {});
      const operations: Operation[] = [
        { limit: 10, offset: 0 },
        { namespace: ["a"], key: "k" },
      ];
      const [namespaces, item] = await batch(store, operations);
      assert.deepEqual(namespaces, [["a"]]);
      assert.equal(itemIn(item).key, "k");
    },
  },
  {
    name: "a batch lists namespaces that fulfil all of several conditions",
    check: async (store) => {
      await store.batch([put(["a", "b", "c"], "k"), put(["a", "x", "c"], "k"), put(["a", "b", "d"], "k")]);
      const [namespaces] = await store.batch([
        {
          matchConditions: [
            { matchType: "prefix", path: ["a"] },
            { matchType: "prefix", path: ["*", "b"] },
            { matchType: "suffix", path: ["c"] },
          ],
          limit: 10,
          offset: 0,
        },
      ]);
      assert.deepEqual(namespaces, [["a", "b", "c"]]);
    },
  },
  {
    name: "the reads of a batch see the state before its writes",
    check: async (store) => {
      await store.put(["a"], "old", { n: 1 });
      const operations: Operation[] = [
        put(["a"], "new", {}),
        { namespace: ["a"], key: "new" },
        { namespace: ["a"], key: "old", value: null },
        { namespacePrefix: ["a"] },
        put(["a"], "old", { n: 2 }),
        { namespace: ["a"], key: "old" },
      ];
      const results = await batch(store, operations);
      assert.equal(results[1], null);
      assert.deepEqual(keysOf(foundIn(results[3])), ["old"]);
      assert.deepEqual(itemIn(results[5]).value, { n: 1 });
      assert.deepEqual((await store.get(["a"], "old"))?.value, { n: 2 });
    },
  },
  {
    name: "the last write of a key counts",
    check: async (store) => {
      await store.put(["a"], "deleted", {});
      await store.batch([
        put(["a"], "put", { n: 1 }),
        put(["a"], "put", { n: 2 }),
        put(["a"], "deleted", {}),
        { namespace: ["a"], key: "deleted", value: null },
        { namespace: ["a"], key: "stored", value: null },
        put(["a"], "stored", { n: 3 }),
        put(["b"], "put", { n: 4 }),
      ]);
      assert.deepEqual((await store.get(["a"], "put"))?.value, { n: 2 });
      assert.deepEqual((await store.get(["b"], "put"))?.value, { n: 4 });
      assert.deepEqual((await store.get(["a"], "stored"))?.value, { n: 3 });
      assert.equal(await store.get(["a"], "deleted"), null);
    },
  },
  {
    name: "a batch stores nothing where one of its operations is refused",
    check: async (store) => {
      await store.put(["a"], "kept", {});
      const refused: Operation[] = [
        put(["in.valid"], "k"),
        { namespace: ["in.valid"], key: "k" },
        { namespacePrefix: ["a", ""] },
      ];
      for (const operation of refused) {
        const operations = [put(["a"], "new"), { namespace: ["a"], key: "kept", value: null }, operation];
        await assert.rejects(store.batch(operations), "it is not refused");
        assert.deepEqual(keysOf(await store.search([])), ["kept"]);
      }
    },
  },
  {
    name: "equal reads of a batch return items of their own",
    check: async (store) => {
      await store.put(["a"], "k", { list: [1] });
      const [one, two, three, four] = await batch(store, [
        { namespace: ["a"], key: "k" },
        { namespace: ["a"], key: "k" },
        { namespacePrefix: ["a"] },
        { namespacePrefix: ["a"] },
      ]);
      const changed = [itemIn(one), ...foundIn(three)];
      for (const item of changed) Object.assign(item.value, { list: [] });
      const others = [itemIn(two), ...foundIn(four)].map((item): unknown => item.value);
      assert.deepEqual(others, [{ list: [1] }, { list: [1] }]);
    },
  },
  {
    name: "a batch takes hundreds of operations, and several at once",
    check: async (store) => {
      const keys = Array.from({ length: 200 }, (_, nth) => `k${nth}`);
      const namespaces = [["a"], ["b"], ["c"]];
      await Promise.all(
        namespaces.map((namespace) => store.batch(keys.map((key, n) => put(namespace, key, { n })))),
      );
      const read = await Promise.all(
        namespaces.map((namespace) => store.batch([...keys, "absent"].map((key) => ({ namespace, key })))),
      );
      for (const items of read) {
        assert.deepEqual(
          items.map((item): unknown => item?.value.n),
          [...keys.keys(), undefined],
        );
      }
    },
  },
];
