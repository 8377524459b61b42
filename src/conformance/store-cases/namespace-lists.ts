import assert from "node:assert/strict";
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import { fillNamespaces, put } from "./item-checks.js";
import type { StoreCase } from "./store-case.js";

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
export const listCases: readonly StoreCase[] = [
  {
    name: "an empty store has no namespaces",
    check: async (store) => {
      assert.deepEqual(await store.listNamespaces(), []);
      assert.deepEqual(await store.listNamespaces({ prefix: ["a"], maxDepth: 1 }), []);
    },
  },
  ...Object.entries(CONDITIONS).map(([what, [options, expected]]): StoreCase => ({
    name: `namespaces are listed sorted, once each, by: ${what}`,
    check: async (store) => {
      await store.batch(
        NAMESPACES.toReversed().flatMap((namespace) => ["1", "2"].map((key) => put(namespace, key))),
      );
      assert.deepEqual(await store.listNamespaces(options), expected);
    },
  })),
  {
    name: "characters of patterns stand for themselves in a list",
    check: async (store) => {
      await fillNamespaces(store, [["a_c"], ["abc"], ["a%"], ["a%c"], ["a\\c"], ["line"], ["line\n"]]);
      for (const label of ["a_c", "a%", "a\\c", "line\n"]) {
        assert.deepEqual(await store.listNamespaces({ prefix: [label] }), [[label]]);
        assert.deepEqual(await store.listNamespaces({ suffix: [label] }), [[label]]);
      }
    },
  },
  {
    name: "a namespace without items is not listed",
    check: async (store) => {
      await fillNamespaces(store, [["a", "b"], ["c"]]);
      await store.delete(["a", "b"], "k");
      await store.delete(["never"], "k");
      assert.deepEqual(await store.listNamespaces(), [["c"]]);
      assert.deepEqual(await store.listNamespaces({ maxDepth: 1 }), [["c"]]);
    },
  },
  {
    name: "a list returns 100 namespaces unless it asks for more or less",
    check: async (store) => {
      await fillNamespaces(
        store,
        Array.from({ length: 103 }, (_, nth) => ["n", String(nth).padStart(3, "0")]),
      );
      assert.equal((await store.listNamespaces()).length, 100);
      assert.equal((await store.listNamespaces({ limit: 200 })).length, 103);
      assert.deepEqual(await store.listNamespaces({ offset: 102 }), [["n", "102"]]);
    },
  },
  {
    name: "a change of a list changes nothing stored",
    check: async (store) => {
      await fillNamespaces(store, [["a", "b"]]);
      for (const namespace of await store.listNamespaces()) namespace.push("x");
      assert.deepEqual(await store.listNamespaces(), [["a", "b"]]);
    },
  },
];
