import { describe, expect, it } from "@jest/globals";
import { AIMessage } from "@langchain/core/messages";
import fc from "fast-check";
import { runs } from "../../../test-support/runs.js";
import { value as anyValue } from "../../serde/test-support/values.js";
import { rememberOrigin } from "../../serde/python/python-origin.js";
import { describePart, valueNodeOf } from "./describe-value.js";
import { HOLE } from "./read-property.js";
import { somePartsOf } from "./value-parts.js";
import { valueTypeOf } from "./value-type.js";

const labelsOf = (value: unknown): string[] => somePartsOf(value).map(({ label }) => label);

describe("describeValue", () => {
  const cyclic: Record<string, unknown> = { plan: "A" };
  cyclic.self = cyclic;

  it.each<[string, unknown, object]>([
    ["null", null, { type: "null", text: "null", size: 0, isCut: false }],
    ["undefined", undefined, { type: "undefined", text: "undefined" }],
    ["-0", -0, { type: "number", text: "-0" }],
    ["NaN", NaN, { type: "number", text: "NaN" }],
    ["Infinity", -Infinity, { type: "number", text: "-Infinity" }],
    ["a BigInt", 2n ** 70n, { type: "bigint", text: "1180591620717411303424" }],
    ["a huge BigInt", -(2n ** 80_000n), { type: "bigint", text: expect.stringMatching(/^-0x10{1996}$/), isCut: true }],
    ["a Date", new Date(0), { type: "date", text: "1970-01-01T00:00:00.000Z" }],
    ["an invalid Date", new Date(NaN), { type: "date", text: "Invalid Date" }],
    ["bytes", new Uint8Array([0, 255, 16]), { type: "bytes", text: "00ff10", size: 3, isCut: false }],
    ["many bytes", new Uint8Array(65), { type: "bytes", text: "00".repeat(64), size: 65, isCut: true }],
    ["a typed array", new Float32Array([1]), { type: "bytes", className: "Float32Array", text: "0000803f" }],
    ["a list", [1, "a", { b: 1 }], { type: "array", text: '[1, "a", {…}]', size: 3, isCut: true }],
    ["an object", { plan: "A", done: true }, { type: "object", text: '{plan: "A", done: true}', isCut: false }],
    ["a Map", new Map<unknown, unknown>([["a", 1], [2n, 3]]), { type: "map", text: "{a: 1, 2n: 3}", size: 2 }],
    ["a Set", new Set([1]), { type: "set", text: "[1]", size: 1 }],
    ["an Error", new TypeError("no"), { type: "error", className: "TypeError", text: "TypeError: no" }],
    ["a RegExp", /a/g, { type: "other", className: "RegExp", text: "/a/g" }],
    ["a URL", new URL("https://example.org/"), { type: "other", className: "URL", text: "https://example.org/" }],
    ["a message", new AIMessage("hi"), { type: "object", className: "AIMessage" }],
    ["LangChain's record", { lc: 1, type: "constructor", id: ["langchain", "Tool"], kwargs: {} }, { className: "Tool" }],
    ["a Python object", rememberOrigin({ x: 1 }, { code: 0, module: "app", name: "Plan" }), { className: "app.Plan" }],
    ["a cycle", cyclic, { type: "object", text: '{plan: "A", self: {…}}' }],
  ])("describes %s", (_case, value, node) => {
    expect(valueNodeOf(value)).toMatchObject(node);
  }); // oxfmt-ignore

  it("runs no code of a value", () => {
    const run = (): never => {
      throw new Error("was run");
    };
    const hostile = Object.defineProperties([1], { 1: { get: run, enumerable: true } });
    const values = [
      { get secret(): never { return run(); } },
      new Proxy({}, { get: run, ownKeys: run, getPrototypeOf: run }),
      Object.defineProperty(new Error("x"), "cause", { get: run }),
      Object.defineProperty({}, "toJSON", { value: run, enumerable: true }),
      Object.create({ get constructor(): never { return run(); } }),
      hostile,
    ]; // oxfmt-ignore
    for (const value of values) {
      expect(valueNodeOf(value)).toEqual(expect.objectContaining({ isCut: expect.any(Boolean) }));
      for (const part of somePartsOf(value)) describePart(part, [value]);
    }
    expect(describePart(somePartsOf(hostile)[1] ?? { step: 0, label: "", value: 0 }, []).value).toMatchObject(
      {
        type: "other",
        text: "an accessor, which was not run",
      },
    );
  });

  it("cuts a text, but never inside a character", () => {
    const long = `${"x".repeat(1_999)}😀 and more`;
    expect(valueNodeOf(long)).toEqual({
      type: "string",
      text: "x".repeat(1_999),
      size: long.length,
      isCut: true,
    });
  });

  it("describes deep and wide values in a short time", () => {
    const wide = Array.from({ length: 1_000_000 }, (_, n) => n);
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    const start = performance.now();
    expect(valueNodeOf(wide)).toMatchObject({ size: 1_000_000, isCut: true });
    expect(valueNodeOf(deep).text).toBe("[[…]]");
    expect(somePartsOf(wide, 999_998, 5).map(({ value }) => value)).toEqual([999_998, 999_999]);
    expect(performance.now() - start).toBeLessThan(1_000);
  });

  it("hides what LangChain keeps in a message for itself", () => {
    const message = new AIMessage({ content: "hi", id: "a1" });
    expect(labelsOf(message)).toEqual(expect.arrayContaining(["content", "id", "tool_calls"]));
    expect(labelsOf(message)).not.toEqual(expect.arrayContaining([expect.stringMatching(/^lc_/)]));
  });

  it("marks a value that is inside itself", () => {
    const [, self] = somePartsOf(cyclic).map((part) => describePart(part, [cyclic]));
    expect(self?.value).toMatchObject({ type: "other", size: 0, text: expect.stringMatching(/^circular/) });
  });

  it("reproduces any value that a serializer returns, when all of its parts are walked", () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        expect(rebuilt(value)).toEqual(value);
      }),
      runs(100),
    );
  });
});

/** Builds a value again from its parts alone, as far as it has any. */
function rebuilt(value: unknown): unknown {
  if (value === HOLE) return undefined;
  const parts = somePartsOf(value);
  expect(parts.map(({ step }) => step)).toEqual(parts.map((_, index) => index));
  expect(valueNodeOf(value).size).toBeGreaterThanOrEqual(parts.length);
  const values = parts.map((part) => rebuilt(part.value));
  switch (valueTypeOf(value)) {
    case "array":
      return values;
    case "set":
      return new Set(values);
    case "map":
      return new Map([...(value as Map<unknown, unknown>).keys()].map((key, index) => {
        const entry = somePartsOf(parts[index]?.value);
        return typeof key === "object" && key !== null
          ? [rebuilt(entry[0]?.value), rebuilt(entry[1]?.value)]
          : [key, values[index]];
      })); // oxfmt-ignore
    case "object": {
      const object = Object.create(Object.getPrototypeOf(value) as object | null) as object;
      for (const [index, { label }] of parts.entries()) {
        Object.defineProperty(object, label, { value: values[index], enumerable: true });
      }
      return object;
    }
    default:
      return value;
  }
}
