import assert from "node:assert/strict";
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import { batch, foundIn, keysOf, put } from "./item-checks.js";
import type { StoreCase } from "./store-case.js";

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
export const filterCases: readonly StoreCase[] = [
  ...CONDITIONS.map(([condition, found]) => filterCase({ a: condition }, found)),
  ...WHOLE.map(([filter, found]) => filterCase(filter, found)),
  ...REFUSED.map((filter): StoreCase => ({
    name: `a filter of unknown meaning is refused: ${shown(filter)}`,
    check: async (store) => {
      await fill(store);
      await assert.rejects(store.search(["f"], { filter }), "it is not refused");
    },
  })),
  {
    name: "a filter of a batch finds the same items",
    check: async (store) => {
      await fill(store);
      const [typed, comparing] = await batch(store, [
        { namespacePrefix: ["f"], filter: { a: "5" } },
        { namespacePrefix: ["f"], filter: { a: { $gt: 4 } } },
      ]);
      assert.deepEqual(keysOf(foundIn(typed)), ["s5"]);
      assert.deepEqual(keysOf(foundIn(comparing)).sort(), ["n10", "n5"]);
    },
  },
];

/** The same for filters that combine. */
export const combinedFilterCases: readonly StoreCase[] = COMBINED.map(([filter, found]) =>
  filterCase(filter, found),
);

function filterCase(filter: Record<string, unknown>, found: readonly string[]): StoreCase {
  return {
    name: `a filter finds exactly the items that fulfil it: ${shown(filter)}`,
    check: async (store) => {
      await fill(store);
      const items = await store.search(["f"], { filter, limit: 100 });
      assert.deepEqual(keysOf(items).sort(), [...found].sort());
    },
  };
}

async function fill(store: BaseStore): Promise<void> {
  const puts = Object.entries(VALUES).map(([key, a], nth) => put(["f"], key, { a, nth, all: true }));
  const miss = put(["f"], "miss", { "b.c": 1, 'it\'s "quoted"': "x'y", "2-nd": 1, all: true });
  await store.batch([...puts, miss]);
}

function allBut(...keys: string[]): string[] {
  return ALL.filter((key) => !keys.includes(key));
}

function shown(filter: unknown): string {
  const text = JSON.stringify(filter, (_, value: unknown) => (value === undefined ? UNDEFINED : value));
  return text.replaceAll(JSON.stringify(UNDEFINED), UNDEFINED);
}
