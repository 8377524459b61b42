import assert from "node:assert/strict";
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import { batch, foundIn, keysIn, putOf, touch, type StoreCases, type StoreScene } from "./store-checks.js";
import { casesOf } from "../suite-case.js";

/** What a store promises about the pages of a search. */
export const searchCases: StoreCases = {
  "a search in an empty store, or in a namespace without items, finds nothing": async ({ store }) => {
    assert.deepEqual(await store.search([]), []);
    await store.put(["a"], "k", {});
    assert.deepEqual(await store.search(["b"], { filter: { n: 1 } }), []);
  },

  "a found item has its value, key, namespace and times, and no score without a query": async ({ store }) => {
    await store.put(["a", "b"], "k", { n: 1 });
    const [item] = await store.search(["a"]);
    assert.deepEqual([item?.value, item?.key, item?.namespace], [{ n: 1 }, "k", ["a", "b"]]);
    assert.ok(item?.createdAt instanceof Date && item.updatedAt instanceof Date);
    assert.equal(item.score, undefined);
  },

  "a search returns 10 items unless it asks for more or less": async ({ store }) => {
    await fill(store, 12);
    assert.equal((await store.search(["p"])).length, 10);
    assert.equal((await store.search(["p"], { limit: 11 })).length, 11);
    assert.equal((await store.search(["p"], { limit: 100 })).length, 12);
    assert.equal((await store.search(["p"], { limit: 0 })).length, 0);
    assert.equal((await store.search(["p"], { offset: 5 })).length, 7);
    assert.equal((await store.search(["p"], { offset: 12 })).length, 0);
  },

  "pages follow one order, without a gap or a repetition": async ({ store }) => {
    const keys = await fill(store, 25);
    const all = keysIn(await store.search(["p"], { limit: 100 }));
    const paged: string[] = [];
    for (let offset = 0; offset < keys.length; offset += 4)
      paged.push(...keysIn(await store.search(["p"], { limit: 4, offset })));
    assert.deepEqual(paged, all);
    assert.deepEqual([...paged].sort(), keys);
  },

  "a filter applies before the page is chosen": async ({ store }) => {
    await fill(store, 25);
    const even = keysIn(await store.search(["p"], { limit: 100, filter: { even: true } }));
    assert.equal(even.length, 13);
    const page = await store.search(["p"], { limit: 5, offset: 6, filter: { even: true } });
    assert.deepEqual(keysIn(page), even.slice(6, 11));
  },

  "the item that was updated last comes first": async ({ store }) => {
    for (const key of ["a", "b", "c"]) await touch(store, ["p"], key);
    assert.deepEqual(keysIn(await store.search(["p"])), ["c", "b", "a"]);
    await touch(store, ["p"], "b");
    assert.deepEqual(keysIn(await store.search(["p"])), ["b", "c", "a"]);
  },

  "a search of a batch returns the same items in the same order": async ({ store }) => {
    for (const key of ["a", "b", "c"]) await touch(store, ["p"], key);
    await touch(store, ["p"], "a");
    const searched = keysIn(await store.search(["p"], { limit: 2, offset: 1 }));
    const [batched] = await batch(store, [{ namespacePrefix: ["p"], limit: 2, offset: 1 }]);
    assert.deepEqual(keysIn(foundIn(batched)), searched);
  },
};

/** Stores items that are equal in what they are sorted by, as far as one batch can. Returns their keys. */
async function fill(store: BaseStore, count: number): Promise<string[]> {
  const keys = Array.from({ length: count }, (_, nth) => `k${String(nth).padStart(2, "0")}`);
  await store.batch(keys.map((key, nth) => putOf(["p", `n${nth % 3}`], key, { even: nth % 2 === 0 })));
  return keys;
}

/** What the key `a` holds, by the key of the item. The item `miss` has no such key. */
const VALUES: Readonly<Record<string, unknown>> = {
  n5: 5,
  n10: 10,
  neg: -3,
  half: 0.5,
  s5: "5",
  sx: "abc",
  date: "2024-06-02",
  sTrue: "true",
  sNull: "null",
  t: true,
  f: false,
  nul: null,
  arr: [1, 2],
  arr1: [1],
  obj: { b: 1, c: 2 },
  empty: {},
};
const UNDEFINED = "undefined";
const ALL = [...Object.keys(VALUES), "miss"];

/** Conditions on `a`, and the items that they find. */
const CONDITIONS: readonly (readonly [condition: unknown, found: readonly string[]])[] = [
  [5, ["n5"]],
  ["5", ["s5"]],
  [true, ["t"]],
  [false, ["f"]],
  ["true", ["sTrue"]],
  [null, ["nul"]],
  [undefined, ["miss"]],
  [[1, 2], ["arr"]],
  [[2, 1], []],
  [[1], ["arr1"]],
  [{ b: 1 }, ["obj"]],
  [{ b: 2 }, []],
  [{}, ["obj", "empty"]],
  [{ $eq: 5 }, ["n5"]],
  [{ $eq: null }, ["nul"]],
  [{ $eq: [1, 2] }, ["arr"]],
  [{ $eq: { b: 1, c: 2 } }, ["obj"]],
  [{ $eq: { b: 1 } }, []],
  [{ $ne: 5 }, allBut("n5")],
  [{ $ne: null }, allBut("nul")],
  [{ $ne: "absent" }, ALL],
  [{ $ne: [1, 2] }, allBut("arr")],
  [{ $gt: 4 }, ["n5", "n10"]],
  [{ $gte: 5 }, ["n5", "n10"]],
  [{ $lt: 5 }, ["neg", "half"]],
  [{ $lte: -3 }, ["neg"]],
  [{ $gt: 0, $lt: 10 }, ["n5", "half"]],
  [{ $gte: 5, $ne: 5 }, ["n10"]],
  [{ $gt: "2024-06-01", $lt: "2024-07" }, ["date"]],
  [{ $gte: "abc" }, ["sx", "sTrue", "sNull"]],
  [{ $in: [] }, []],
  [{ $in: [5] }, ["n5"]],
  [{ $in: [5, "abc", null, true] }, ["n5", "sx", "nul", "t"]],
  [{ $in: [[1, 2], { b: 1, c: 2 }] }, ["arr", "obj"]],
  [{ $nin: [] }, ALL],
  [{ $nin: [5, "5"] }, allBut("n5", "s5")],
  [{ $exists: true }, allBut("miss")],
  [{ $exists: false }, ["miss"]],
];

/** Whole filters without operators that combine. */
const WHOLE: readonly (readonly [filter: Record<string, unknown>, found: readonly string[]])[] = [
  [{}, ALL],
  [{ a: 5, all: true }, ["n5"]],
  [{ a: 5, all: false }, []],
  [{ a: { $gt: 4 }, nth: { $lt: 1 } }, ["n5"]],
  [{ "b.c": 1 }, ["miss"]],
  [{ b: { c: 1 } }, []],
  [{ 'it\'s "quoted"': "x'y" }, ["miss"]],
  [{ "2-nd": 1 }, ["miss"]],
  [{ toString: undefined, a: 5 }, ["n5"]],
];

/** Filters of which it is not said what they mean. To ignore them would find other items than they say. */
const REFUSED: readonly Record<string, unknown>[] = [
  { a: { $foo: 1 } },
  { a: { $regex: "x" } },
  { a: { $gte: 1, b: 1 } },
  { $foo: [] },
];

/** Filters that combine others. */
const COMBINED: typeof WHOLE = [
  [{ $or: [{ a: 5 }, { a: "abc" }] }, ["n5", "sx"]],
  [{ $or: [] }, []],
  [{ $and: [{ a: { $gt: 1 } }, { a: { $lt: 7 } }] }, ["n5"]],
  [{ $and: [] }, ALL],
  [{ $not: { a: { $exists: true } } }, ["miss"]],
  [{ $not: { $or: [{ a: 5 }, { $not: { a: { $in: [5, 10] } } }] } }, ["n10"]],
  [{ a: { $not: { $gt: 4 } } }, allBut("n5", "n10")],
  [{ $or: [{ a: 5 }, { a: 10 }], nth: 0 }, ["n5"]],
];

/** What a store promises about filters: they compare by types, find exactly what they say, and never fail because of a value. */
export const filterCases: StoreCases = {
  ...filtersFind(CONDITIONS.map(([a, found]) => [{ a }, found])),

  ...filtersFind(WHOLE),

  ...casesOf(
    "a filter of unknown meaning is refused",
    byText(REFUSED, (filter) => filter),
    async (filter, { store }: StoreScene) => {
      await fillByType(store);
      await assert.rejects(store.search(["f"], { filter }), "it is not refused");
    },
  ),

  "a filter of a batch finds the same items": async ({ store }) => {
    await fillByType(store);
    const [typed, comparing] = await batch(store, [
      { namespacePrefix: ["f"], filter: { a: "5" } },
      { namespacePrefix: ["f"], filter: { a: { $gt: 4 } } },
    ]);
    assert.deepEqual(keysIn(foundIn(typed)), ["s5"]);
    assert.deepEqual(keysIn(foundIn(comparing)).sort(), ["n10", "n5"]);
  },
};

/** The same for filters that combine. */
export const combinedFilterCases: StoreCases = filtersFind(COMBINED);

function filtersFind(filters: typeof WHOLE): StoreCases {
  return casesOf(
    "a filter finds exactly the items that fulfil it",
    byText(filters, ([filter]) => filter),
    async ([filter, found], { store }: StoreScene) => {
      await fillByType(store);
      const items = await store.search(["f"], { filter, limit: 100 });
      assert.deepEqual(keysIn(items).sort(), [...found].sort());
    },
  );
}

/** A table whose entries are named by the texts of their filters. */
function byText<Entry>(
  entries: readonly Entry[],
  filterOf: (entry: Entry) => unknown,
): Record<string, Entry> {
  return Object.fromEntries(entries.map((entry) => [shown(filterOf(entry)), entry]));
}

async function fillByType(store: BaseStore): Promise<void> {
  const puts = Object.entries(VALUES).map(([key, a], nth) => putOf(["f"], key, { a, nth, all: true }));
  const miss = putOf(["f"], "miss", { "b.c": 1, 'it\'s "quoted"': "x'y", "2-nd": 1, all: true });
  await store.batch([...puts, miss]);
}

function allBut(...keys: string[]): string[] {
  return ALL.filter((key) => !keys.includes(key));
}

function shown(filter: unknown): string {
  const text = JSON.stringify(filter, (_, value: unknown) => (value === undefined ? UNDEFINED : value));
  return text.replaceAll(JSON.stringify(UNDEFINED), UNDEFINED);
}
