import { describe, expect, it } from "@jest/globals";
import { Document } from "@langchain/core/documents";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { DeltaSnapshot } from "@langchain/langgraph-checkpoint";
import fc from "fast-check";

import { runs } from "../../../test-support/runs.js";
import { describePglite } from "../../../test-support/targets.js";
import { SerializationError } from "../../errors/index.js";
import { decodeJson } from "./decode-json.js";
import { encodeJson } from "./encode-json.js";
import { firstDifference } from "../test-support/first-difference.js";
import { parseJsonText, stringifyJson } from "./json-text.js";

// Every UTF-16 code unit, so that lone surrogates and U+0000 occur, and the keys that have a meaning for a reader.
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
  fc.constantFrom("\0", "\ud800", "\udc00\ud800", "__proto__", "constructor", "9007199254740993"),
);
const key = fc.oneof(text, fc.constantFrom("lc", "type", "id", "args", "__lc_escaped__", "0", "10", "2"));
const number = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.constantFrom(
    -0,
    NaN,
    Infinity,
    -Infinity,
    1e21,
    2 ** 53,
    2 ** 63,
    5e-324,
    Number.MAX_VALUE,
    123456789012345680000,
  ),
);
const bytes = fc.uint8Array();
const scalar = fc.oneof(
  text,
  number,
  fc.boolean(),
  fc.bigInt(),
  fc.constantFrom(null, undefined),
  fc.date({ noInvalidDate: false }),
  fc.constantFrom(/a(?<n>b)*/giu, /[/]/y, new URL("https://example.org/ä?q=1#x")),
  bytes,
  bytes.map((list) => Buffer.from(list)),
  bytes.map((list) => Uint8Array.from(list).buffer),
  bytes.map((list) => new DataView(Uint8Array.from(list).buffer)),
  fc.oneof(fc.int8Array(), fc.uint8ClampedArray(), fc.int16Array(), fc.uint16Array(), fc.int32Array()),
  fc.oneof(fc.uint32Array(), fc.float32Array(), fc.float64Array(), fc.bigInt64Array(), fc.bigUint64Array()),
);
const lookalike = fc.constantFrom<object>(
  { lc: 2, type: "undefined" },
  { lc: 2, type: "constructor", id: ["Date"], method: null, args: ["2020-01-01T00:00:00.000Z"], kwargs: {} },
  {
    lc: 1,
    type: "constructor",
    id: ["langchain_core", "messages", "HumanMessage"],
    kwargs: { content: "x" },
  },
  { lc: 1, type: "secret", id: ["PATH"] },
  { lc: 2, type: "delta_snapshot", value: 1 },
  { lc: 3 },
  { __lc_escaped__: { lc: 2, type: "undefined" } },
);

function withHoles(items: unknown[], length: number): unknown[] {
  const sparse: unknown[] = [];
  for (const [index, item] of items.entries()) sparse[index * 2] = item;
  sparse.length = Math.max(length, sparse.length);
  return sparse;
}

function errorOf(message: string, cause: unknown, details: Record<string, unknown>): Error {
  const error = Object.assign(new RangeError(message, { cause }), { details });
  error.name = "Renamed";
  return error;
}

const { value } = fc.letrec<{ value: unknown; object: Record<string, unknown> }>((tie) => ({
  object: fc.dictionary(key, tie("value"), { maxKeys: 4, noNullPrototype: false }),
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    lookalike,
    fc.array(tie("value"), { maxLength: 4 }),
    tie("object"),
    fc.uniqueArray(tie("value"), { maxLength: 3 }).map((items) => new Set(items)),
    fc.array(fc.tuple(tie("value"), tie("value")), { maxLength: 3 }).map((pairs) => new Map(pairs)),
    fc
      .tuple(fc.array(tie("value"), { maxLength: 3 }), fc.nat(9))
      .map(([items, length]) => withHoles(items, length)),
    fc
      .tuple(text, tie("value"), tie("object"))
      .map(([message, cause, details]) => errorOf(message, cause, details)),
    fc.array(tie("value"), { maxLength: 2 }).map((errors) => new AggregateError(errors, "several")),
    tie("value").map((snapshot) => new DeltaSnapshot(snapshot)),
    fc
      .tuple(text, tie("object"), tie("object"))
      .map(([content, extra, metadata]) => messageOf(content, extra, metadata)),
    fc.tuple(text, tie("object")).map(([pageContent, metadata]) => new Document({ pageContent, metadata })),
  ),
}));

function messageOf(
  content: string,
  extra: Record<string, unknown>,
  metadata: Record<string, unknown>,
): HumanMessage {
  return new HumanMessage({ content, additional_kwargs: { extra }, response_metadata: metadata });
}

describe("a value is read back equal", () => {
  for (const jsonb of [false, true]) {
    it(`as JSON data${jsonb ? " for a JSONB column" : ""}`, () => {
      fc.assert(
        fc.property(value, (original) => {
          expect(firstDifference(decodeJson(encodeJson(original, { jsonb })), original)).toBeUndefined();
        }),
        runs(500),
      );
    });

    it(`as JSON text${jsonb ? " for a JSONB column" : ""}`, () => {
      fc.assert(
        fc.property(value, (original) => {
          expect(
            firstDifference(parseJsonText(stringifyJson(original, { jsonb })), original),
          ).toBeUndefined();
        }),
        runs(500),
      );
    });
  }

  it("also inside a message", () => {
    fc.assert(
      fc.property(fc.dictionary(key, value, { maxKeys: 3 }), (args) => {
        const original = new AIMessage({ content: "", tool_calls: [{ name: "search", args, id: "1" }] });
        expect(firstDifference(parseJsonText(stringifyJson(original)), original)).toBeUndefined();
      }),
      runs(500),
    );
  });
});

describePglite("a JSONB column", (target) => {
  it("stores any value so that it is read back equal", async () => {
    const database = await target.createDatabase();
    const select =
      "SELECT body::jsonb::text AS text FROM unnest($1::text[]) WITH ORDINALITY AS t(body, n) ORDER BY n";
    const values = fc.sample(value, runs(500));
    const bodies = values.map((original) => stringifyJson(original, { jsonb: true }));
    const rows = await database.query<{ text: string }>(select, [bodies]);
    // JSONB does not keep the order of keys, and any two different values have different JSON.
    expect(rows.map(({ text: body }) => encodeJson(parseJsonText(body, "jsonb")))).toEqual(
      values.map((original) => encodeJson(original)),
    );
  });
});

describe("writing a value", () => {
  it("does not change the value, and shares nothing with it", () => {
    fc.assert(
      fc.property(value, (original) => {
        const before = stringifyJson(original);
        const json = encodeJson(original);
        freeze(json);
        expect(stringifyJson(original)).toBe(before);
        expect(() => encodeJson(original)).not.toThrow();
        expect(firstDifference(JSON.parse(before), json)).toBeUndefined();
      }),
      runs(100),
    );
  });

  it("returns plain JSON data, whose text is parsed to the same data", () => {
    fc.assert(
      fc.property(value, fc.boolean(), (original, jsonb) => {
        const json = encodeJson(original, { jsonb });
        expect(firstDifference(JSON.parse(JSON.stringify(json)), json)).toBeUndefined();
      }),
      runs(100),
    );
  });

  it("writes nothing that a JSONB column refuses", () => {
    fc.assert(
      fc.property(value, (original) => {
        expect(stringifyJson(original, { jsonb: true })).not.toMatch(/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/);
      }),
      runs(100),
    );
  });

  it("fails with a SerializationError for a function anywhere", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.nat(5), key), { maxLength: 6 }), (steps) => {
        const buried = steps.reduceRight<unknown>(bury, () => undefined);
        expect(() => encodeJson(buried)).toThrow(SerializationError);
      }),
      runs(100),
    );
  });
});

function bury(inner: unknown, step: number | string): unknown {
  if (typeof step === "number") return [...Array.from({ length: step }, () => null), inner];
  return Object.fromEntries([[step, inner]]);
}

function freeze(json: unknown): void {
  if (typeof json !== "object" || json === null) return;
  Object.freeze(json);
  Object.values(json).forEach(freeze);
}
