import { describe, expect, test } from "@jest/globals";
import { HumanMessage } from "@langchain/core/messages";
import { DeserializationError, SerializationError } from "../errors/index.js";
import { encodeJson } from "./json/encode-json.js";
import { parseJsonText, stringifyJson } from "./json/json-text.js";
import { MAX_DIGITS, MAX_JSON_DEPTH } from "./json/json-value.js";
import { JsonSerializer } from "./json/json-serializer.js";
import { decode } from "./msgpack/msgpack-decoder.js";
import { encode } from "./msgpack/msgpack-encoder.js";
import { extension, pack } from "./msgpack/wire.js";
import { EXT } from "./msgpack/ext-codes.js";
import { MsgpackSerializer } from "./msgpack/msgpack-serializer.js";

const encoders: Record<string, (value: unknown) => unknown> = {
  MessagePack: encode,
  JSON: (value) => stringifyJson(value),
  JSONB: (value) => encodeJson(value, { jsonb: true, path: "metadata" }),
};
const readers = [new MsgpackSerializer(), new JsonSerializer()];

/** An object with two references to an object with two references to an object, and so on. */
function doubled(levels: number, refer: (part: unknown) => unknown): unknown {
  let value: unknown = { leaf: true };
  for (let level = 0; level < levels; level += 1) value = refer(value);
  return value;
}

function errorOf(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

describe.each(Object.entries(encoders))(
  "a graph whose encoding would exceed all memory, as %s",
  (_name, write) => {
    test.each<[string, (part: unknown) => unknown]>([
      ["objects", (part) => ({ a: part, b: part })],
      ["arrays", (part) => [part, part]],
      ["Maps", (part) => new Map([["a", part], ["b", part]])], // oxfmt-ignore
      ["Sets of arrays", (part) => new Set([[part], [part]])],
      ["errors", (part) => new Error("x", { cause: [part, part] })],
      ["messages", (part) => new HumanMessage({ content: "x", additional_kwargs: { a: part, b: part } })],
      ["objects at several depths", (part) => ({ a: part, b: [[part]], c: [part] })],
    ])("is refused at once: %s", (_kind, refer) => {
      const error = errorOf(() => write({ channel: doubled(60, refer) }));
      expect(error).toBeInstanceOf(SerializationError);
      expect(String(error)).toMatch(/ at (metadata\.)?channel.*refers to the same objects so often/);
    });

    test("is refused for a repeated string", () => {
      const text = "x".repeat(2 ** 20);
      expect(() => write(Array.from({ length: 8192 }, () => text))).toThrow(/takes more than \d+ bytes/);
    });
  },
);

describe("a value whose parts occur several times", () => {
  const part = { list: Array.from({ length: 50 }, (_, index) => ({ index, text: "some text" })) };
  const value = { parts: Array.from({ length: 100 }, () => part), messages: [new HumanMessage("hi"), part, new Map([["k", part]])] }; // oxfmt-ignore

  test("is read back equal", async () => {
    for (const serializer of readers)
      expect(await serializer.loadsTyped(...(await serializer.dumpsTyped(value)))).toEqual(value);
  });

  test("is written in the same bytes as copies of the parts", () => {
    const copies = { ...value, parts: value.parts.map((copied) => structuredClone(copied)) };
    expect(Buffer.compare(encode(value), encode(copies))).toBe(0);
    expect(stringifyJson(value)).toBe(stringifyJson(copies));
  });

  test("is read back equal inside and outside of a message, where LangChain's layout differs", () => {
    const marked = { lc: "x".repeat(100) };
    const both = [marked, new HumanMessage({ content: "x", additional_kwargs: { marked } }), marked];
    expect(parseJsonText(stringifyJson(both))).toEqual(both);
  });

  test("is refused if a part lies too deep where it occurs again", () => {
    const deep = doubled(MAX_JSON_DEPTH - 20, (inner) => [inner, "x".repeat(100)]);
    expect(() => encode([deep, [[deep]]])).not.toThrow();
    let second: unknown = deep;
    for (let level = 0; level < 30; level += 1) second = [second];
    for (const write of Object.values(encoders)) expect(() => write([deep, second])).toThrow(/nested deeper/);
  });
});

describe("JSON text that is nested too deep, or has too many digits, is refused before it is parsed", () => {
  const brackets = 2_000_000;
  const digits = "9".repeat(2_000_000);

  test.each<[string, string, RegExp]>([
    ["arrays", "[".repeat(brackets), /nested deeper than/],
    ["arrays that are closed", "[".repeat(brackets) + "]".repeat(brackets), /nested deeper than/],
    ["objects", '{"a":'.repeat(brackets), /nested deeper than/],
    ["arrays after texts with brackets", `["]]","\\"]",${"[".repeat(brackets)}`, /nested deeper than/],
    ["digits", digits, /more than \d+ digits/],
    ["digits in an object", `{"a":[-${digits}]}`, /more than \d+ digits/],
    [
      "the digits of a BigInt",
      `{"lc":2,"type":"constructor","id":["BigInt"],"args":["${digits}"]}`,
      /digits/,
    ],
  ])("%s", async (_kind, text, problem) => {
    expect(() => parseJsonText(text)).toThrow(DeserializationError);
    for (const serializer of readers)
      await expect(serializer.loadsTyped("json", text)).rejects.toThrow(problem);
    expect(() => decode(pack(extension(EXT.LANGCHAIN, Buffer.from(text))))).toThrow(problem);
  });

  test("but not text with many brackets side by side, or digits in a string", () => {
    const flat = Array.from({ length: 5000 }, () => [{ "[[{": "[[[" }]);
    expect(parseJsonText(JSON.stringify(flat))).toEqual(flat);
    expect(parseJsonText(JSON.stringify([digits.slice(0, MAX_DIGITS * 2)]))).toEqual([
      digits.slice(0, MAX_DIGITS * 2),
    ]);
  });

  test("and encoding refuses an integer of more digits than can be read", () => {
    const most = BigInt(digits.slice(0, MAX_DIGITS));
    for (const integer of [most, -most]) {
      expect(parseJsonText(stringifyJson({ integer }))).toEqual({ integer });
      expect(parseJsonText(`[${integer}]`)).toEqual([integer]);
    }
    expect(() => stringifyJson({ integer: most + 1n })).toThrow(/at integer: a BigInt of more than/);
    expect(() => stringifyJson({ integer: 1n << 4_000_000n })).toThrow(SerializationError);
  });
});

test("the holes of an array take no memory, in either layout", () => {
  const before = process.memoryUsage().rss;
  const holes = Array.from({ length: 100 }, (_, index) => {
    const array: unknown[] = [];
    array[20_000_000 + index] = index;
    return array;
  });
  const read = [decode(encode(holes)), parseJsonText(stringifyJson(holes))] as unknown[][][];
  expect(read.map((arrays) => arrays[99]?.length)).toEqual([20_000_100, 20_000_100]);
  expect(read.map((arrays) => Object.keys(arrays[99] ?? []))).toEqual([["20000099"], ["20000099"]]);
  expect(process.memoryUsage().rss - before).toBeLessThan(2 ** 30);
});
