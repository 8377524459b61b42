import assert from "node:assert/strict";
import type { BaseStore, Operation } from "@langchain/langgraph-checkpoint";
import { batch, fillNamespaces, foundIn, itemIn, placesOf, put, rejectsNamespace } from "./item-checks.js";
import type { StoreCase } from "./store-case.js";

/** Labels that mean something to SQL, to paths or to patterns, and must mean nothing here. */
const LABELS = [
  "user_1",
  "100%",
  "a\\b",
  "line\n",
  "line",
  " ",
  "*",
  "a/b",
  "a-b",
  "é😀",
  "'",
  '"',
  "UP",
  "up",
];

/** Namespaces that no method takes. */
const INVALID: readonly unknown[][] = [[""], ["a", ""], ["a.b"], ["a", "b."], ["a\0"], [1], ["a", null]];

/** Each way to name a namespace that exists. */
const READS: Readonly<Record<string, (store: BaseStore, namespace: string[]) => Promise<unknown>>> = {
  get: (store, namespace) => store.get(namespace, "k"),
  search: (store, namespace) => store.search(namespace),
  delete: (store, namespace) => store.delete(namespace, "k"),
  "listNamespaces by prefix": (store, prefix) => store.listNamespaces({ prefix }),
  "listNamespaces by suffix": (store, suffix) => store.listNamespaces({ suffix }),
  "a get of a batch": (store, namespace) => store.batch([{ namespace, key: "k" }]),
  "a search of a batch": (store, namespacePrefix) => store.batch([{ namespacePrefix }]),
  "a deletion of a batch": (store, namespace) => store.batch([{ namespace, key: "k", value: null }]),
};

/** Each way to store an item. */
const WRITES: typeof READS = {
  put: (store, namespace) => store.put(namespace, "k", {}),
  "a put of a batch": (store, namespace) => store.batch([put(namespace, "k")]),
};

/** What a store promises about namespaces. */
export const namespaceCases: readonly StoreCase[] = [
  {
    name: "a label may have any characters but a period and U+0000",
    check: (store) =>
      keepsApart(
        store,
        LABELS.map((label) => ["l", label]),
      ),
  },
  {
    name: "a label may have a colon, which separates nothing",
    check: (store) => keepsApart(store, [["a:b"], ["a", "b"], ["a:b", "c"], ["a", "b:c"]]),
  },
  {
    name: "a label with a lone surrogate is refused, or like no other one",
    check: async (store) => {
      const namespaces = [["\ud800"], ["\ud801"], ["\ufffd"]];
      const outcomes = await Promise.allSettled(
        namespaces.map((namespace) => store.put(namespace, "k", { namespace })),
      );
      const stored = namespaces.filter((_, nth) => outcomes[nth]?.status === "fulfilled");
      assert.equal((await store.search([])).length, stored.length);
      for (const namespace of stored)
        assert.deepEqual((await store.get(namespace, "k"))?.value, { namespace });
    },
  },
  ...Object.entries({ ...WRITES, ...READS }).map(([what, call]): StoreCase => ({
    name: `an invalid namespace is refused by InvalidNamespaceError: ${what}`,
    check: async (store) => {
      for (const namespace of INVALID)
        await rejectsNamespace(() => call(store, namespace as string[]), JSON.stringify(namespace));
      assert.deepEqual(await store.search([]), []);
    },
  })),
  ...Object.entries(WRITES).map(([what, call]): StoreCase => ({
    name: `no item can be at the root or below LangGraph's own root: ${what}`,
    check: async (store) => {
      for (const namespace of [[], ["langgraph"], ["langgraph", "a"]])
        await rejectsNamespace(() => call(store, namespace), JSON.stringify(namespace));
      await call(store, ["a", "langgraph"]);
      assert.deepEqual(placesOf(await store.search([])), ['["a","langgraph","k"]']);
    },
  })),
  ...Object.entries(READS).map(([what, call]): StoreCase => ({
    name: `the root and LangGraph's own root may be read: ${what}`,
    check: async (store) => {
      for (const namespace of [[], ["langgraph"]]) await call(store, namespace);
    },
  })),
  {
    name: "a search finds a namespace and those below it, and none whose label only begins alike",
    check: async (store) => {
      const inside = [
        ["a", "b"],
        ["a", "b", "c"],
        ["a", "b", "c", "d"],
      ];
      const outside = [
        ["a"],
        ["a", "bc"],
        ["a", "b-c"],
        ["a", "b!"],
        ["a", "B"],
        ["ab"],
        ["b"],
        ["x", "a", "b"],
      ];
      await fillNamespaces(store, [...inside, ...outside]);
      const places = (namespaces: string[][]) =>
        placesOf(namespaces.map((namespace) => ({ namespace, key: "k" })));
      assert.deepEqual(placesOf(await store.search(["a", "b"])), places(inside));
      assert.deepEqual(placesOf(await store.search(["b"])), places([["b"]]));
      assert.deepEqual(await store.search(["a", "b", "c", "d", "e"]), []);
    },
  },
  {
    name: "a search in the empty namespace finds everything",
    check: async (store) => {
      const namespaces = [["a"], ["a", "b"], ["c", "d", "e"]];
      await fillNamespaces(store, namespaces);
      assert.equal((await store.search([])).length, namespaces.length);
    },
  },
  {
    name: "characters of patterns stand for themselves in a search",
    check: async (store) => {
      await fillNamespaces(store, [["a_c"], ["abc"], ["a%"], ["a%c"], ["a\\c"], ["*"], ["a", "b"], ["A_C"]]);
      for (const label of ["a_c", "a%", "a\\c", "*"])
        assert.deepEqual(placesOf(await store.search([label])), [JSON.stringify([label, "k"])]);
      for (const label of ["%", "_", "a*", "[a]"]) assert.deepEqual(await store.search([label]), []);
    },
  },
  {
    name: "a batch searches and reads by the same rules",
    check: async (store) => {
      await fillNamespaces(store, [["a", "b"], ["a", "bc"], ["a_b"], ["axb"]]);
      const operations: Operation[] = [
        { namespacePrefix: ["a", "b"] },
        { namespacePrefix: ["a_b"] },
        { namespacePrefix: [] },
        { namespace: ["a", "b"], key: "k" },
        { namespace: ["a"], key: "k" },
      ];
      const [below, literal, all, item, absent] = await batch(store, operations);
      assert.deepEqual(placesOf(foundIn(below)), ['["a","b","k"]']);
      assert.deepEqual(placesOf(foundIn(literal)), ['["a_b","k"]']);
      assert.equal(foundIn(all).length, 4);
      assert.equal(itemIn(item).key, "k");
      assert.equal(absent, null);
    },
  },
];

/** Fails unless an item in each of some namespaces is read back from it, and from no other one. */
async function keepsApart(store: BaseStore, namespaces: readonly string[][]): Promise<void> {
  for (const namespace of namespaces) await store.put(namespace, "k", { namespace });
  for (const namespace of namespaces) {
    const item = await store.get(namespace, "k");
    assert.deepEqual([item?.value, item?.namespace], [{ namespace }, namespace]);
  }
  const all = await store.search([], { limit: namespaces.length + 1 });
  const expected = namespaces.map((namespace) => ({ namespace, key: "k" }));
  assert.deepEqual(placesOf(all), placesOf(expected));
}
