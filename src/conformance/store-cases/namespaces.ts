import assert from "node:assert/strict";
import type { BaseStore, Operation } from "@langchain/langgraph-checkpoint";
import {
  batch,
  fillNamespaces,
  foundIn,
  itemIn,
  placesOf,
  putOf,
  rejectsNamespace,
  type StoreCases,
  type StoreScene,
} from "./store-checks.js";
import { casesOf } from "../suite-case.js";

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
  "a put of a batch": (store, namespace) => store.batch([putOf(namespace, "k")]),
};

/** What a store promises about namespaces. */
export const namespaceCases: StoreCases = {
  "a label may have any characters but a period and U+0000": ({ store }) =>
    keepsApart(
      store,
      LABELS.map((label) => ["l", label]),
    ),

  "a label may have a colon, which separates nothing": ({ store }) =>
    keepsApart(store, [["a:b"], ["a", "b"], ["a:b", "c"], ["a", "b:c"]]),

  "a label with a lone surrogate is refused, or like no other one": async ({ store }) => {
    const namespaces = [["\ud800"], ["\ud801"], ["\ufffd"]];
    const outcomes = await Promise.allSettled(
      namespaces.map((namespace) => store.put(namespace, "k", { namespace })),
    );
    const stored = namespaces.filter((_, nth) => outcomes[nth]?.status === "fulfilled");
    assert.equal((await store.search([])).length, stored.length);
    for (const namespace of stored) assert.deepEqual((await store.get(namespace, "k"))?.value, { namespace });
  },

  ...casesOf(
    "an invalid namespace is refused by InvalidNamespaceError",
    { ...WRITES, ...READS },
    async (call, { store }: StoreScene) => {
      for (const namespace of INVALID)
        await rejectsNamespace(() => call(store, namespace as string[]), JSON.stringify(namespace));
      assert.deepEqual(await store.search([]), []);
    },
  ),

  ...casesOf(
    "no item can be at the root or below LangGraph's own root",
    WRITES,
    async (call, { store }: StoreScene) => {
      for (const namespace of [[], ["langgraph"], ["langgraph", "a"]])
        await rejectsNamespace(() => call(store, namespace), JSON.stringify(namespace));
      await call(store, ["a", "langgraph"]);
      assert.deepEqual(placesOf(await store.search([])), ['["a","langgraph","k"]']);
    },
  ),

  ...casesOf("the root and LangGraph's own root may be read", READS, async (call, { store }: StoreScene) => {
    for (const namespace of [[], ["langgraph"]]) await call(store, namespace);
  }),

  "a search finds a namespace and those below it, and none whose label only begins alike": async (scene) => {
    const { store } = scene;
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

  "a search in the empty namespace finds everything": async ({ store }) => {
    const namespaces = [["a"], ["a", "b"], ["c", "d", "e"]];
    await fillNamespaces(store, namespaces);
    assert.equal((await store.search([])).length, namespaces.length);
  },

  "characters of patterns stand for themselves in a search": async ({ store }) => {
    await fillNamespaces(store, [["a_c"], ["abc"], ["a%"], ["a%c"], ["a\\c"], ["*"], ["a", "b"], ["A_C"]]);
    for (const label of ["a_c", "a%", "a\\c", "*"])
      assert.deepEqual(placesOf(await store.search([label])), [JSON.stringify([label, "k"])]);
    for (const label of ["%", "_", "a*", "[a]"]) assert.deepEqual(await store.search([label]), []);
  },

  "a batch searches and reads by the same rules": async ({ store }) => {
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
};

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

/** Sorted as the store returns them. */
const NAMESPACES = [
  ["docs"],
  ["docs", "public"],
  ["docs", "public", "v1"],
  ["docs", "public", "v2"],
  ["docs", "secret", "v1"],
  ["docs2", "public", "v1"],
  ["users", "ada", "v1"],
  ["users", "bob"],
];

/** Conditions, and the namespaces that fulfil them. */
const CONDITIONS: Readonly<
  Record<string, readonly [NonNullable<Parameters<BaseStore["listNamespaces"]>[0]>, string[][]]>
> = {
  none: [{}, NAMESPACES],
  "an empty prefix and suffix": [{ prefix: [], suffix: [] }, NAMESPACES],
  "a prefix": [{ prefix: ["docs", "public"] }, NAMESPACES.slice(1, 4)],
  "a prefix by whole labels": [{ prefix: ["docs"] }, NAMESPACES.slice(0, 5)],
  "a suffix": [
    { suffix: ["public", "v1"] },
    [
      ["docs", "public", "v1"],
      ["docs2", "public", "v1"],
    ],
  ],
  "a suffix by whole labels": [{ suffix: ["1"] }, []],
  "a prefix and a suffix": [{ prefix: ["docs"], suffix: ["v1"] }, [NAMESPACES[2] ?? [], NAMESPACES[4] ?? []]],
  "a prefix and a suffix that overlap": [
    { prefix: ["users", "bob"], suffix: ["users", "bob"] },
    [["users", "bob"]],
  ],
  "a wildcard in the prefix": [{ prefix: ["*", "public"] }, [...NAMESPACES.slice(1, 4), NAMESPACES[5] ?? []]],
  "a wildcard in the suffix": [{ suffix: ["docs", "*", "v1"] }, [NAMESPACES[2] ?? [], NAMESPACES[4] ?? []]],
  "a wildcard is one label": [{ prefix: ["*", "*", "*"] }, NAMESPACES.filter(({ length }) => length === 3)],
  "nothing fulfils it": [{ prefix: ["docs", "absent"] }, []],
  "a condition longer than any namespace": [{ prefix: ["docs", "public", "v1", "x"] }, []],
  "patterns of SQL": [{ prefix: ["%"] }, []],
  "a pattern within a label": [{ prefix: ["doc_"] }, []],
  "a wildcard within a label": [{ prefix: ["doc*"] }, []],
  "a depth": [{ maxDepth: 1 }, [["docs"], ["docs2"], ["users"]]],
  "a depth below a prefix": [
    { prefix: ["docs"], maxDepth: 2 },
    [["docs"], ["docs", "public"], ["docs", "secret"]],
  ],
  "a depth and a suffix": [
    { suffix: ["v1"], maxDepth: 2 },
    [
      ["docs", "public"],
      ["docs", "secret"],
      ["docs2", "public"],
      ["users", "ada"],
    ],
  ],
  "a depth that nothing exceeds": [{ maxDepth: 9 }, NAMESPACES],
  "a page": [{ limit: 3, offset: 2 }, NAMESPACES.slice(2, 5)],
  "a page behind the end": [{ offset: 8 }, []],
  "a limit of 0": [{ limit: 0 }, []],
  "a page after the depth": [{ maxDepth: 1, limit: 2, offset: 1 }, [["docs2"], ["users"]]],
};

/** What `listNamespaces` promises. */
export const namespaceListCases: StoreCases = {
  "an empty store has no namespaces": async ({ store }) => {
    assert.deepEqual(await store.listNamespaces(), []);
    assert.deepEqual(await store.listNamespaces({ prefix: ["a"], maxDepth: 1 }), []);
  },

  ...casesOf(
    "namespaces are listed sorted, once each, by",
    CONDITIONS,
    async ([options, expected], { store }: StoreScene) => {
      await store.batch(
        NAMESPACES.toReversed().flatMap((namespace) => ["1", "2"].map((key) => putOf(namespace, key))),
      );
      assert.deepEqual(await store.listNamespaces(options), expected);
    },
  ),

  "characters of patterns stand for themselves in a list": async ({ store }) => {
    await fillNamespaces(store, [["a_c"], ["abc"], ["a%"], ["a%c"], ["a\\c"], ["line"], ["line\n"]]);
    for (const label of ["a_c", "a%", "a\\c", "line\n"]) {
      assert.deepEqual(await store.listNamespaces({ prefix: [label] }), [[label]]);
      assert.deepEqual(await store.listNamespaces({ suffix: [label] }), [[label]]);
    }
  },

  "a namespace without items is not listed": async ({ store }) => {
    await fillNamespaces(store, [["a", "b"], ["c"]]);
    await store.delete(["a", "b"], "k");
    await store.delete(["never"], "k");
    assert.deepEqual(await store.listNamespaces(), [["c"]]);
    assert.deepEqual(await store.listNamespaces({ maxDepth: 1 }), [["c"]]);
  },

  "a list returns 100 namespaces unless it asks for more or less": async ({ store }) => {
    await fillNamespaces(
      store,
      Array.from({ length: 103 }, (_, nth) => ["n", String(nth).padStart(3, "0")]),
    );
    assert.equal((await store.listNamespaces()).length, 100);
    assert.equal((await store.listNamespaces({ limit: 200 })).length, 103);
    assert.deepEqual(await store.listNamespaces({ offset: 102 }), [["n", "102"]]);
  },

  "a change of a list changes nothing stored": async ({ store }) => {
    await fillNamespaces(store, [["a", "b"]]);
    for (const namespace of await store.listNamespaces()) namespace.push("x");
    assert.deepEqual(await store.listNamespaces(), [["a", "b"]]);
  },
};
