import assert from "node:assert/strict";
import { keysIn, putOf, touch, type StoreCases, type StoreScene } from "./store-checks.js";
import type { PutOperation } from "@langchain/langgraph-checkpoint";
import { casesOf } from "../suite-case.js";

/** Keys of which every two are different. */
const KEYS = [
  ...["a", "A", "a ", "a%", "a_", "a\\", "a:b", "a.b", "a/b", "a*", "é", "e\u0301", "😀"],
  ...["'", '"', "'; drop table store; --", "$1", "line\n", "line", "toString", "constructor", "__proto__"],
];

/** What `put`, `get` and `delete` promise. */
export const itemCases: StoreCases = {
  "an item is read with its value, key, namespace and times": async ({ store }) => {
    await store.put(["a", "b"], "k", { n: 1 });
    const item = await store.get(["a", "b"], "k");
    assert.deepEqual([item?.value, item?.key, item?.namespace], [{ n: 1 }, "k", ["a", "b"]]);
    assert.ok(item?.createdAt instanceof Date && item.updatedAt instanceof Date);
    assert.ok(item.updatedAt >= item.createdAt);
  },

  "an item that does not exist is null, whatever other namespaces hold": async ({ store }) => {
    await store.put(["a", "b"], "k", { n: 1 });
    assert.equal(await store.get(["a", "b"], "other"), null);
    assert.equal(await store.get(["a"], "k"), null);
    assert.equal(await store.get(["a", "b", "c"], "k"), null);
    assert.equal(await store.get(["b", "a"], "k"), null);
  },

  "a put replaces the whole value, keeps the time of creation and raises that of the update": async (
    scene,
  ) => {
    const { store } = scene;
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

  "a deleted item is gone, and to delete it again is no error": async ({ store }) => {
    await store.batch([putOf(["a"], "k"), putOf(["a"], "other"), putOf(["a", "b"], "k")]);
    await store.delete(["a"], "k");
    await store.delete(["a"], "k");
    await store.delete(["never"], "k");
    assert.equal(await store.get(["a"], "k"), null);
    assert.notEqual(await store.get(["a"], "other"), null);
    assert.notEqual(await store.get(["a", "b"], "k"), null);
    await store.put(["a"], "k", { again: true });
    assert.deepEqual((await store.get(["a"], "k"))?.value, { again: true });
  },

  "a change of an item that was read changes nothing stored": async ({ store }) => {
    await store.put(["a"], "k", { list: [1] });
    const got = await store.get(["a"], "k");
    const [found] = await store.search(["a"]);
    Object.assign(got?.value ?? {}, { extra: true });
    Object.assign(found?.value ?? {}, { list: [] });
    got?.namespace.push("x");
    const again = await store.get(["a"], "k");
    assert.deepEqual([again?.value, again?.namespace], [{ list: [1] }, ["a"]]);
  },

  "a change of a value or namespace after its put changes nothing stored": async ({ store }) => {
    const [namespace, value] = [["a"], { list: [1] }];
    await store.put(namespace, "k", value);
    namespace.push("b");
    value.list.push(2);
    const item = await store.get(["a"], "k");
    assert.deepEqual([item?.value, item?.namespace], [{ list: [1] }, ["a"]]);
  },

  "an item that was read stays as it was when the item is replaced": async ({ store }) => {
    await store.put(["a"], "k", { n: 1 });
    const before = await store.get(["a"], "k");
    await store.put(["a"], "k", { n: 2 });
    assert.deepEqual(before?.value, { n: 1 });
  },

  "keys that differ in any character are different items": async ({ store }) => {
    await store.batch(KEYS.map((key) => putOf(["keys"], key, { key })));
    for (const key of KEYS) assert.deepEqual((await store.get(["keys"], key))?.value, { key });
    const found = await store.search(["keys"], { limit: 100 });
    assert.deepEqual(keysIn(found).sort(), [...KEYS].sort());
  },

  "calls that are made at once are all carried out": async ({ store }) => {
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

  "a call that is refused does not disturb those of the same moment": async ({ store }) => {
    const outcomes = await Promise.allSettled([
      store.put(["a"], "one", {}),
      store.put(["in.valid"], "k", {}),
      store.put(["a"], "two", {}),
    ]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ["fulfilled", "rejected", "fulfilled"],
    );
    assert.deepEqual(keysIn(await store.search(["a"])).sort(), ["one", "two"]);
  },
};

/** Values of JSON, by what is special about them. */
const JSON_VALUES: Readonly<Record<string, Record<string, unknown>>> = {
  "no keys": {},
  "every type": { text: "a", number: 1.5, yes: true, no: false, none: null, list: [], object: {} },
  numbers: {
    numbers: [0, -1, 0.1, 1e-7, 1e21, 1.7976931348623157e308, 5e-324, 2 ** 53 - 1, -(2 ** 31)],
  },
  "texts of any language": { texts: ["", " ", "é", "e\u0301", "Ж", "日本語", "עברית", "😀", "\u2028\uffff"] },
  "control characters, quotes and backslashes": { text: "\u0001\b\t\n\f\r\u007f\"'\\\\u0041/%_" },
  "keys of any form": {
    "": 1,
    "a.b": 2,
    $eq: 3,
    "a b": 4,
    'quo"te': 5,
    "é😀": 6,
    constructor: 7,
    toString: 8,
  },
  "nested parts": { a: [[[{ b: [{ c: { d: [null, [], {}] } }] }]]] },
  "a text of 200,000 characters": { text: "long é ".repeat(28_572) },
};

/** Values that JSON or Postgres can't hold as they are. A store may refuse them, and must not change them. */
const DIFFICULT_VALUES: Readonly<Record<string, () => Record<string, unknown>>> = {
  "U+0000 in a text": () => ({ text: "a\0b" }),
  "U+0000 in a key": () => ({ "a\0b": 1 }),
  "a lone surrogate": () => ({ text: "a\ud800b" }),
  NaN: () => ({ n: Number.NaN }),
  "a bigint": () => ({ n: 2n ** 64n }),
};

/** What a store promises about the values of its items. */
export const itemValueCases: StoreCases = {
  ...casesOf("a value is read back equal", JSON_VALUES, async (value, { store }: StoreScene) => {
    await store.put(["v"], "k", structuredClone(value));
    assert.deepEqual((await store.get(["v"], "k"))?.value, value);
    assert.deepEqual(
      (await store.search(["v"])).map((item): unknown => item.value),
      [value],
    );
  }),

  ...casesOf(
    "a value is read back equal or refused by the store itself",
    DIFFICULT_VALUES,
    async (create, { store }: StoreScene) => {
      await store.put(["v"], "k", { old: true });
      const refusal = await store.put(["v"], "k", create()).then(() => undefined, asError);
      assert.ok(!isOfDatabase(refusal), `the database refuses it: ${refusal?.message ?? ""}`);
      const expected = refusal === undefined ? create() : { old: true };
      assert.deepEqual((await store.get(["v"], "k"))?.value, expected);
    },
  ),

  "a put of undefined is refused by the store itself, and stores nothing": async ({ store }) => {
    const operation: object = { namespace: ["v"], key: "k", value: undefined };
    const refusal = await store.batch([operation as PutOperation]).then(() => undefined, asError);
    assert.ok(refusal !== undefined, "it is not refused");
    assert.ok(!isOfDatabase(refusal), `the database refuses it: ${refusal.message}`);
    assert.equal(await store.get(["v"], "k"), null);
  },
};

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** Whether an error is the raw error of a database, by its SQLSTATE. */
function isOfDatabase(error: Error | undefined): boolean {
  return error !== undefined && "severity" in error && "code" in error;
}
