import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { AIMessage } from "@langchain/core/messages";
import fc from "fast-check";

import { createPgliteDatabase } from "../../../test-support/pglite-target.js";
import { runs } from "../../../test-support/runs.js";
import type { TestDatabase } from "../../../test-support/test-database.js";
import { decodeJson } from "./decode-json.js";
import type { JsonValue } from "./json-value.js";
import { firstDifference } from "../test-support/first-difference.js";
import { parseJsonText, stringifyJson } from "./json-text.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await createPgliteDatabase();
  await database.exec("CREATE TABLE headers (n serial PRIMARY KEY, body jsonb NOT NULL)");
});
afterAll(() => database.drop());

/** Stores a value in a JSONB column and reads it back as text and as the driver's own JSON. */
async function stored(value: unknown): Promise<{ text: string; json: JsonValue }> {
  const [row] = await database.query<{ text: string; json: JsonValue }>(
    "WITH inserted AS (INSERT INTO headers (body) VALUES ($1::text::jsonb) RETURNING body) SELECT body::text AS text, body AS json FROM inserted",
    [stringifyJson(value, { jsonb: true })],
  );
  if (row === undefined) throw new Error("nothing was stored");
  return row;
}

async function expectReadBackEqual(value: unknown): Promise<void> {
  const { text, json } = await stored(value);
  expect(firstDifference(parseJsonText(text, "jsonb"), value)).toBeUndefined();
  expect(firstDifference(decodeJson(json), value)).toBeUndefined();
}

describe("a value is read back equal from a JSONB column", () => {
  it.each<[string, unknown]>([
    ["U+0000", "a\0b"],
    ["a lone surrogate", "\ud83d"],
    ["a pair of surrogates", "\u{1f600}"],
    ["the text of an escape", "\\u0000 \\ud800"],
    ["a key that JSONB refuses", { "\0": 1, "\udc00": 2 }],
    ["negative zero", -0],
    ["NaN", NaN],
    ["1e21", 1e21],
    ["the largest number", Number.MAX_VALUE],
    ["the smallest number", 5e-324],
    ["an integer beyond the safe ones", 2 ** 63],
    ["a BigInt", 9007199254740993n],
    ["undefined", { a: undefined }],
    ["an error", new Error("a\0b", { cause: "\ud800" })],
    ["a Map", new Map<unknown, unknown>([["\0", new Set(["\ud800"])]])],
  ])("%s", async (_, value) => {
    await expectReadBackEqual([value]);
  });

  it("as any string, value or key", async () => {
    const text = fc.string({
      unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
    });
    await fc.assert(
      fc.asyncProperty(text, async (string) => {
        await expectReadBackEqual(Object.fromEntries([[string, string]]));
      }),
      runs(100),
    );
  });

  it("as any number", async () => {
    await fc.assert(
      fc.asyncProperty(fc.double(), (number) => expectReadBackEqual(number)),
      runs(100),
    );
  });
});

it("an object of many keys is read back equal from a JSONB column except for the order of its keys", async () => {
  const message = new AIMessage({
    content: "a\0b",
    additional_kwargs: { "\0": "\ud800", aa: 1, b: { c: -0 } },
  });
  const { text, json } = await stored({ message, zz: 1, a: new Date(0) });
  expect(parseJsonText(text, "jsonb")).toStrictEqual({ message, zz: 1, a: new Date(0) });
  expect(decodeJson(json)).toStrictEqual({ message, zz: 1, a: new Date(0) });
});

it("a number of any size is stored as a number", async () => {
  const numbers = [1e21, -1e21, 1e23, Number.MAX_VALUE];
  expect((await stored(numbers)).json).toEqual(numbers);
});

it("metadata is stored unchanged, so that filters can match it", async () => {
  const metadata = {
    source: "loop",
    step: -1,
    parents: { "": "a" },
    run_id: "r",
    score: 0.5,
    tags: ["a"],
    none: null,
  };
  const { json } = await stored(metadata);
  expect(json).toEqual(metadata);
});
