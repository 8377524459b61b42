import { expect, it } from "@jest/globals";
import { AIMessage } from "@langchain/core/messages";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import fc from "fast-check";
import { InvalidConfigError } from "../../src/index.js";
import { runs } from "../../test-support/runs.js";
import { describeEachTarget } from "../../test-support/targets.js";
import { useStore } from "./stored.js";

/** Values of the key `a`, by the key of their item. */
const VALUES = {
  n5: 5,
  n10: 10,
  neg: -3,
  s5: "5",
  sx: "abc",
  st: "true",
  snull: "null",
  t: true,
  nul: null,
  arr: [1, 2],
  arr1: [1],
  obj: { b: 1, c: 2 },
} as const;
const ALL = [...Object.keys(VALUES), "miss"];

function allBut(...keys: string[]): string[] {
  return ALL.filter((key) => !keys.includes(key));
}

/** A filter on `a`, the items that it finds, and those that InMemoryStore finds where it differs. */
const CASES: readonly [filter: unknown, found: readonly string[], inMemory?: readonly string[]][] = [
  [5, ["n5"]],
  ["5", ["s5"]],
  [true, ["t"]],
  [null, ["nul"]],
  [undefined, ["miss"]],
  [[1, 2], ["arr"], []],
  [[2, 1], []],
  [[1], ["arr1"], []],
  [{ b: 1 }, ["obj"], []],
  [{ b: 2 }, []],
  [{}, ["obj"], ALL],
  [{ $eq: null }, ["nul"]],
  [{ $eq: { b: 1, c: 2 } }, ["obj"], []],
  [{ $eq: { b: 1 } }, []],
  [{ $eq: [1] }, ["arr1"], []],
  [{ $ne: 5 }, allBut("n5")],
  [{ $ne: null }, allBut("nul")],
  [{ $ne: [1, 2] }, allBut("arr"), ALL],
  [{ $gt: 4 }, ["n5", "n10"], ["n5", "n10", "s5"]],
  [{ $gte: 10 }, ["n10"]],
  [{ $lt: 4 }, ["neg"], ["neg", "t", "nul", "arr1"]],
  [{ $gt: 1, $lte: 5 }, ["n5"], ["n5", "s5"]],
  [{ $gt: "5" }, ["sx", "st", "snull"], ["n10"]],
  [{ $lt: "b" }, ["s5", "sx"], []],
  [{ $in: [] }, []],
  [{ $nin: [] }, ALL],
  [{ $in: [5, "abc", null] }, ["n5", "sx", "nul"]],
  // So many values are compared as one list.
  [{ $in: [...Array.from({ length: 40 }, (_, n) => 100 + n), 5] }, ["n5"]],
  [{ $in: [[1, 2], { b: 1, c: 2 }] }, ["arr", "obj"], []],
  [{ $nin: [5] }, allBut("n5")],
  [{ $exists: true }, allBut("miss"), []],
  [{ $exists: false }, ["miss"], []],
  [{ $not: { $gt: 4 } }, allBut("n5", "n10"), []],
];

/** Whole filters. */
const COMBINED: readonly [filter: Record<string, unknown>, found: readonly string[]][] = [
  [{}, ALL],
  [{ $or: [{ a: 5 }, { a: "abc" }] }, ["n5", "sx"]],
  [{ $or: [] }, []],
  [{ $and: [{ a: { $gt: 1 } }, { a: { $lt: 7 } }] }, ["n5"]],
  [{ $and: [] }, ALL],
  [{ $not: { a: { $exists: true } } }, ["miss"]],
  [{ $not: { $or: [{ a: 5 }, { $not: { a: { $in: [5, 10] } } }] } }, ["n10"]],
  [{ a: { $gt: 1 }, both: true }, ["n5", "n10"]],
  [{ "a.b": 1 }, []],
  [{ 'quoted "key"': "it's" }, ["miss"]],
];

const REFUSED: readonly [filter: unknown, field: string][] = [
  [{ a: { $foo: 1 } }, "filter.a.$foo"],
  [{ a: { $regex: "x" } }, "filter.a.$regex"],
  [{ $nor: [] }, "filter.$nor"],
  [{ a: { $gte: 1, b: 1 } }, "filter.a"],
  [{ a: { $gt: true } }, "filter.a.$gt"],
  [{ a: { $gt: Number.NaN } }, "filter.a.$gt"],
  [{ a: { $gt: new Date(NaN) } }, "filter.a.$gt"],
  [{ a: { $lt: new Date(8.64e15) } }, "filter.a.$lt"],
  [{ a: { $lt: new Date(-8.64e15) } }, "filter.a.$lt"],
  [{ a: { $gt: "b\0" } }, "filter.a.$gt"],
  [{ a: { $in: Array.from({ length: 40 }) } }, "filter.a.$in.0"],
  [{ a: { $in: 5 } }, "filter.a.$in"],
  [{ a: { $eq: undefined } }, "filter.a.$eq"],
  [{ $or: { a: 1 } }, "filter.$or"],
  [new Map(), "filter"],
];

function valueOf(key: string): Record<string, unknown> {
  const both = { both: true };
  if (key === "miss") return { ...both, 'quoted "key"': "it's" };
  return { ...both, a: Object.entries(VALUES).find(([name]) => name === key)?.[1] };
}

const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, 1e21, -1e21, 1e23, Number.MAX_VALUE),
);
const day = fc.date({ noInvalidDate: true });

/** What \`put\` stores as data of JSON. */
const { storable } = fc.letrec<{ storable: unknown }>((tie) => ({
  storable: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.oneof(fc.string({ unit: "binary" }), number, day, fc.boolean(), fc.constant(null)),
    fc.array(tie("storable"), { maxLength: 3 }),
    fc.dictionary(fc.string({ maxLength: 3 }), fc.option(tie("storable"), { nil: undefined }), {
      maxKeys: 3,
    }),
  ),
}));

/** As the whole condition on a key, an object with such keys holds operators. */
function hasOperators(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).some((key) => key.startsWith("$"));
}

describeEachTarget("a filter", (target) => {
  const suite = useStore(target);

  it("finds exactly the items whose values fulfil it, by their types", async () => {
    const { store } = suite;
    await store.putMany(ALL.map((key) => ({ namespace: ["f"], key, value: valueOf(key) })));
    const found: unknown[] = [];
    for (const [filter] of CASES)
      found.push(await keysOf(store.search(["f"], { filter: { a: filter }, limit: 99 })));
    expect(found).toEqual(CASES.map(([, keys]) => [...keys].sort()));
    const combined: unknown[] = [];
    for (const [filter] of COMBINED) combined.push(await keysOf(store.search(["f"], { filter, limit: 99 })));
    expect(combined).toEqual(COMBINED.map(([, keys]) => [...keys].sort()));
    const counts: number[] = [];
    for (const [filter] of COMBINED) counts.push(await store.count([], { filter }));
    expect(counts).toEqual(COMBINED.map(([, keys]) => keys.length));
  });

  it.each(REFUSED)("refuses %j, which would find other items than it says", async (filter, field) => {
    const searching = suite.store.search(["f"], { filter: filter as Record<string, unknown> });
    await expect(searching).rejects.toMatchObject({ code: "INVALID_CONFIG", field });
    await expect(searching).rejects.toBeInstanceOf(InvalidConfigError);
  });

  it("compares a number with numbers in any notation, and a text by code points", async () => {
    const { store } = suite;
    const values = { half: 0.5, big: 1e20, precise: 0.1 + 0.2, z: "Z", a: "a", astral: "😀", bmp: "\uffee" };
    await store.putMany(Object.entries(values).map(([key, a]) => ({ namespace: ["n"], key, value: { a } })));
    const search = (a: unknown) => keysOf(store.search(["n"], { filter: { a } }));
    expect(await search({ $gte: 0.3 })).toEqual(["big", "half", "precise"]);
    expect(await search(0.1 + 0.2)).toEqual(["precise"]);
    expect(await search({ $lt: "a" })).toEqual(["z"]);
    expect(await search({ $gt: "\uffee" })).toEqual(["astral"]);
  });

  it("finds numbers of any size, since all of them are stored as numbers", async () => {
    const { store, database } = suite;
    const values = {
      large: 1e21,
      low: -1e21,
      max: Number.MAX_VALUE,
      zero: Math.round(-0.2),
      long: 2n ** 64n,
    };
    await store.putMany(Object.entries(values).map(([key, a]) => ({ namespace: ["n"], key, value: { a } })));
    const search = (a: unknown) => keysOf(store.search(["n"], { filter: { a } }));
    expect(await search({ $gt: 1e20 })).toEqual(["large", "max"]);
    expect(await search({ $gte: 1e21 })).toEqual(["large", "max"]);
    expect(await search({ $lt: 0 })).toEqual(["low"]);
    expect(await search({ $gt: 1e19, $lt: 1e20 })).toEqual(["long"]);
    expect(await Promise.all([0, -0, 1e21, -1e21, 2n ** 64n].map(search))).toEqual([
      ["zero"],
      ["zero"],
      ["large"],
      ["low"],
      ["long"],
    ]);
    expect(await database.query("select distinct jsonb_typeof(value -> 'a') as type from store")).toEqual([
      { type: "number" },
    ]);
    const read = await store.search(["n"]);
    expect(Object.fromEntries(read.map(({ key, value }) => [key, value.a]))).toStrictEqual({
      ...values,
      zero: 0,
    });
  });

  it("compares an operand as what a value is stored as", async () => {
    const { store } = suite;
    const [early, late] = [new Date("2024-12-31T23:59:59.999Z"), new Date("2025-01-01T00:00:00Z")];
    const values = {
      early,
      late,
      nested: { due: early, list: [late] },
      bare: { due: early },
      bytes: Uint8Array.of(1, 2),
      longer: Uint8Array.of(2, 1, 2),
      nul: "a\0b",
      luna: "b\0a",
      message: new AIMessage("hi"),
      url: new URL("https://a.b"),
    };
    await store.putMany(Object.entries(values).map(([key, a]) => ({ namespace: ["d"], key, value: { a } })));
    const search = (a: unknown) => keysOf(store.search(["d"], { filter: { a }, limit: 99 }));
    const others = (...keys: string[]) =>
      Object.keys(values)
        .filter((key) => !keys.includes(key))
        .sort();
    const many = Array.from({ length: 40 }, (_, nth) => new Date(nth));
    const found: [filter: unknown, keys: string[]][] = [
      [early, ["early"]],
      [{ $eq: late }, ["late"]],
      [{ $ne: late }, others("late")],
      [{ $in: [early, late] }, ["early", "late"]],
      [{ $in: [...many, late] }, ["late"]],
      [{ $nin: [early] }, others("early")],
      [{ $gt: early }, ["late", "luna", "nul", "url"]],
      [{ $gte: early, $lt: late }, ["early"]],
      [{ $lte: late }, ["early", "late"]],
      [{ due: early }, ["bare", "nested"]],
      [{ list: [late] }, ["nested"]],
      [{ due: early, list: undefined }, ["bare"]],
      [{ $eq: { due: early, list: undefined } }, ["bare"]],
      [{ $ne: { list: [late], due: early, other: undefined } }, others("nested")],
      [{ $not: { due: early, list: undefined } }, others("bare")],
      [Uint8Array.of(1, 2), ["bytes"]],
      ["a\0b", ["nul"]],
      [{ $in: [...many, "a\0b"] }, ["nul"]],
      [new AIMessage("hi"), ["message"]],
      [new URL("https://a.b"), ["url"]],
    ];
    for (const [filter, keys] of found) expect([filter, await search(filter)]).toEqual([filter, keys]);
  });

  it("by any value finds what was stored with it", async () => {
    const { store } = suite;
    await fc.assert(
      fc.asyncProperty(fc.array(storable, { minLength: 1, maxLength: 20 }), async (values) => {
        await store.putMany(values.map((v, nth) => ({ namespace: ["any"], key: String(nth), value: { v } })));
        const filters = values.flatMap((v) => [hasOperators(v) ? { $eq: v } : v, { $eq: v }, { $in: [v] }]);
        const found = await store.batch(
          filters.map((v) => ({ namespacePrefix: ["any"], filter: { v }, limit: values.length })),
        );
        const missed = filters.filter(
          (_, nth) => !found[nth]?.some(({ key }) => key === String(Math.floor(nth / 3))),
        );
        expect(missed).toEqual([]);
        await store.deleteNamespace(["any"]);
      }),
      runs(15),
    );
  });
});

it("differs from InMemoryStore exactly where the documentation says so", async () => {
  const store = new InMemoryStore();
  for (const key of ALL) await store.put(["f"], key, valueOf(key));
  const found: unknown[] = [];
  for (const [filter] of CASES)
    found.push(await keysOf(store.search(["f"], { filter: { a: filter }, limit: 99 })));
  expect(found).toEqual(CASES.map(([, ours, theirs]) => [...(theirs ?? ours)].sort()));
});

async function keysOf(searching: Promise<readonly { readonly key: string }[]>): Promise<string[]> {
  return (await searching).map(({ key }) => key).sort();
}
