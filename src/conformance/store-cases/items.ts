import assert from "node:assert/strict";
import { keysOf, put, touch } from "./item-checks.js";
import type { StoreCase } from "./store-case.js";

/** Keys of which every two are different. */
const KEYS = [
  ...["a", "A", "a ", "a%", "a_", "a\\", "a:b", "a.b", "a/b", "a*", "é", "e\u0301", "😀"],
  ...["'", '"', "'; drop table store; --", "$1", "line\n", "line", "toString", "constructor", "__proto__"],
];

/** What `put`, `get` and `delete` promise. */
export const itemCases: readonly StoreCase[] = [
  {
    name: "an item is read with its value, key, namespace and times",
    check: async (store) => {
      await store.put(["a", "b"], "k", { n: 1 });
      const item = await store.get(["a", "b"], "k");
      assert.deepEqual([item?.value, item?.key, item?.namespace], [{ n: 1 }, "k", ["a", "b"]]);
      assert.ok(item?.createdAt instanceof Date && item.updatedAt instanceof Date);
      assert.ok(item.updatedAt >= item.createdAt);
    },
  },
  {
    name: "an item that does not exist is null, whatever other namespaces hold",
    check: async (store) => {
      await store.put(["a", "b"], "k", { n: 1 });
      assert.equal(await store.get(["a", "b"], "other"), null);
      assert.equal(await store.get(["a"], "k"), null);
      assert.equal(await store.get(["a", "b", "c"], "k"), null);
      assert.equal(await store.get(["b", "a"], "k"), null);
    },
  },
  {
    name: "a put replaces the whole value, keeps the time of creation and raises that of the update",
    check: async (store) => {
      await store.put(["a"], "k", { n: 1, old: true });
      const before = await store.get(["a"], "k");
      const [created, updated] = [before?.createdAt.getTime(), before?.updatedAt.getTime()];
      await store.put(["a"], "later", {});
      await touch(store, ["a"], "later");
      await touch(store, ["a"], "k");
      await store.put(["a"], "k", { n: 2 });
      const after = await store.get(["a"], "k");
      assert.deepEqual(after?.value, { n: 2 });
      assert.equal(after.createdAt.getTime(), created);
      assert.ok(after.updatedAt.getTime() > (updated ?? Infinity));
    },
  },
  {
    name: "a deleted item is gone, and to delete it again is no error",
    check: async (store) => {
      await store.batch([put(["a"], "k"), put(["a"], "other"), put(["a", "b"], "k")]);
      await store.delete(["a"], "k");
      await store.delete(["a"], "k");
      await store.delete(["never"], "k");
      assert.equal(await store.get(["a"], "k"), null);
      assert.notEqual(await store.get(["a"], "other"), null);
      assert.notEqual(await store.get(["a", "b"], "k"), null);
      await store.put(["a"], "k", { again: true });
      assert.deepEqual((await store.get(["a"], "k"))?.value, { again: true });
    },
  },
  {
    name: "a change of an item that was read changes nothing stored",
    check: async (store) => {
      await store.put(["a"], "k", { list: [1] });
      const got = await store.get(["a"], "k");
      const [found] = await store.search(["a"]);
      Object.assign(got?.value ?? {}, { extra: true });
      Object.assign(found?.value ?? {}, { list: [] });
      got?.namespace.push("x");
      const again = await store.get(["a"], "k");
      assert.deepEqual([again?.value, again?.namespace], [{ list: [1] }, ["a"]]);
    },
  },
  {
    name: "a change of a value or namespace after its put changes nothing stored",
    check: async (store) => {
      const [namespace, value] = [["a"], { list: [1] }];
      await store.put(namespace, "k", value);
      namespace.push("b");
      value.list.push(2);
      const item = await store.get(["a"], "k");
      assert.deepEqual([item?.value, item?.namespace], [{ list: [1] }, ["a"]]);
    },
  },
  {
    name: "an item that was read stays as it was when the item is replaced",
    check: async (store) => {
      await store.put(["a"], "k", { n: 1 });
      const before = await store.get(["a"], "k");
      await store.put(["a"], "k", { n: 2 });
      assert.deepEqual(before?.value, { n: 1 });
    },
  },
  {
    name: "keys that differ in any character are different items",
    check: async (store) => {
      await store.batch(KEYS.map((key) => put(["keys"], key, { key })));
      for (const key of KEYS) assert.deepEqual((await store.get(["keys"], key))?.value, { key });
      const found = await store.search(["keys"], { limit: 100 });
      assert.deepEqual(keysOf(found).sort(), [...KEYS].sort());
    },
  },
  {
    name: "calls that are made at once are all carried out",
    check: async (store) => {
      const keys = Array.from({ length: 60 }, (_, nth) => `k${nth}`);
      await Promise.all(keys.map((key) => store.put(["a"], key, { key })));
      const items = await Promise.all(keys.map((key) => store.get(["a"], key)));
      assert.deepEqual(
        items.map((item) => item?.key),
        keys,
      );
      await Promise.all(keys.map((key) => store.delete(["a"], key)));
      assert.deepEqual(await store.search(["a"]), []);
    },
  },
  {
    name: "a call that is refused does not disturb those of the same moment",
    check: async (store) => {
      const outcomes = await Promise.allSettled([
        store.put(["a"], "one", {}),
        store.put(["in.valid"], "k", {}),
        store.put(["a"], "two", {}),
      ]);
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        ["fulfilled", "rejected", "fulfilled"],
      );
      assert.deepEqual(keysOf(await store.search(["a"])).sort(), ["one", "two"]);
    },
  },
];
