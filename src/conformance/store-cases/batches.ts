import assert from "node:assert/strict";
import type { Operation } from "@langchain/langgraph-checkpoint";
import { batch, foundIn, itemIn, keysIn, putOf, type StoreCases } from "./store-checks.js";

/** What `batch` promises. */
export const batchCases: StoreCases = {
  "a batch of nothing returns nothing": async ({ store }) => {
    assert.deepEqual(await store.batch([]), []);
  },

  "the results of a batch are in the order of its operations": async ({ store }) => {
    await store.batch([putOf(["a"], "one", { n: 1 }), putOf(["a", "b"], "two", { n: 2 })]);
    const operations: Operation[] = [
      { namespace: ["a"], key: "one" },
      putOf(["c"], "three", {}),
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
        order.map((nth) => operations[nth] ?? putOf(["x"], "x")),
      );
      const [one, three, found, absent, namespaces, deleted] = operations.map(
        (_, nth): unknown => results[order.indexOf(nth)],
      );
      assert.deepEqual(itemIn(one).value, { n: 1 });
      assert.deepEqual(keysIn(foundIn(found)), ["two"]);
      assert.deepEqual(namespaces, [["a"], ["a", "b"]]);
      assert.deepEqual([three ?? null, absent, deleted ?? null], [null, null, null]);
      assert.notEqual(await store.get(["c"], "three"), null);
      assert.equal(await store.get(["a"], "one"), null);
    }
  },

  "a batch lists namespaces without conditions": async ({ store }) => {
    await store.put(["a"], "k", {});
    const operations: Operation[] = [
      { limit: 10, offset: 0 },
      { namespace: ["a"], key: "k" },
    ];
    const [namespaces, item] = await batch(store, operations);
    assert.deepEqual(namespaces, [["a"]]);
    assert.equal(itemIn(item).key, "k");
  },

  "a batch lists namespaces that fulfil all of several conditions": async ({ store }) => {
    await store.batch([
      putOf(["a", "b", "c"], "k"),
      putOf(["a", "x", "c"], "k"),
      putOf(["a", "b", "d"], "k"),
    ]);
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

  "the reads of a batch see the state before its writes": async ({ store }) => {
    await store.put(["a"], "old", { n: 1 });
    const operations: Operation[] = [
      putOf(["a"], "new", {}),
      { namespace: ["a"], key: "new" },
      { namespace: ["a"], key: "old", value: null },
      { namespacePrefix: ["a"] },
      putOf(["a"], "old", { n: 2 }),
      { namespace: ["a"], key: "old" },
    ];
    const results = await batch(store, operations);
    assert.equal(results[1], null);
    assert.deepEqual(keysIn(foundIn(results[3])), ["old"]);
    assert.deepEqual(itemIn(results[5]).value, { n: 1 });
    assert.deepEqual((await store.get(["a"], "old"))?.value, { n: 2 });
  },

  "the last write of a key counts": async ({ store }) => {
    await store.put(["a"], "deleted", {});
    await store.batch([
      putOf(["a"], "put", { n: 1 }),
      putOf(["a"], "put", { n: 2 }),
      putOf(["a"], "deleted", {}),
      { namespace: ["a"], key: "deleted", value: null },
      { namespace: ["a"], key: "stored", value: null },
      putOf(["a"], "stored", { n: 3 }),
      putOf(["b"], "put", { n: 4 }),
    ]);
    assert.deepEqual((await store.get(["a"], "put"))?.value, { n: 2 });
    assert.deepEqual((await store.get(["b"], "put"))?.value, { n: 4 });
    assert.deepEqual((await store.get(["a"], "stored"))?.value, { n: 3 });
    assert.equal(await store.get(["a"], "deleted"), null);
  },

  "a batch stores nothing where one of its operations is refused": async ({ store }) => {
    await store.put(["a"], "kept", {});
    const refused: Operation[] = [
      putOf(["in.valid"], "k"),
      { namespace: ["in.valid"], key: "k" },
      { namespacePrefix: ["a", ""] },
    ];
    for (const operation of refused) {
      const operations = [putOf(["a"], "new"), { namespace: ["a"], key: "kept", value: null }, operation];
      await assert.rejects(store.batch(operations), "it is not refused");
      assert.deepEqual(keysIn(await store.search([])), ["kept"]);
    }
  },

  "equal reads of a batch return items of their own": async ({ store }) => {
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

  "a batch takes hundreds of operations, and several at once": async ({ store }) => {
    const keys = Array.from({ length: 200 }, (_, nth) => `k${nth}`);
    const namespaces = [["a"], ["b"], ["c"]];
    await Promise.all(
      namespaces.map((namespace) => store.batch(keys.map((key, n) => putOf(namespace, key, { n })))),
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
};
