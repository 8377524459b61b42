import assert from "node:assert/strict";
import type { PutOperation } from "@langchain/langgraph-checkpoint";
import type { StoreCase } from "./store-case.js";

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
export const valueCases: readonly StoreCase[] = [
  ...Object.entries(JSON_VALUES).map(([what, value]): StoreCase => ({
    name: `a value is read back equal: ${what}`,
    check: async (store) => {
      await store.put(["v"], "k", structuredClone(value));
      assert.deepEqual((await store.get(["v"], "k"))?.value, value);
      assert.deepEqual(
        (await store.search(["v"])).map((item): unknown => item.value),
        [value],
      );
    },
  })),
  ...Object.entries(DIFFICULT_VALUES).map(([what, create]): StoreCase => ({
    name: `a value is read back equal or refused by the store itself: ${what}`,
    check: async (store) => {
      await store.put(["v"], "k", { old: true });
      const refusal = await store.put(["v"], "k", create()).then(() => undefined, asError);
      assert.ok(!isOfDatabase(refusal), `the database refuses it: ${refusal?.message ?? ""}`);
      const expected = refusal === undefined ? create() : { old: true };
      assert.deepEqual((await store.get(["v"], "k"))?.value, expected);
    },
  })),
  {
    name: "a put of undefined is refused by the store itself, and stores nothing",
    check: async (store) => {
      const operation: object = { namespace: ["v"], key: "k", value: undefined };
      const refusal = await store.batch([operation as PutOperation]).then(() => undefined, asError);
      assert.ok(refusal !== undefined, "it is not refused");
      assert.ok(!isOfDatabase(refusal), `the database refuses it: ${refusal.message}`);
      assert.equal(await store.get(["v"], "k"), null);
    },
  },
];

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** Whether an error is the raw error of a database, by its SQLSTATE. */
function isOfDatabase(error: Error | undefined): boolean {
  return error !== undefined && "severity" in error && "code" in error;
}
