import { AIMessage } from "@langchain/core/messages";
import { describe, expect, it } from "@jest/globals";
import { formatJson } from "./format-value.js";

describe("formatJson", () => {
  it("formats every type of value that a state may hold", () => {
    const value = {
      ...{
        date: new Date(0),
        big: 2n ** 64n,
        small: 3n,
        nan: NaN,
        far: -Infinity,
        bytes: new Uint8Array([1, 2]),
      },
      ...{ set: new Set([1]), named: new Map([["a", 1n]]), pairs: new Map([[1, "b"]]), pattern: /x/g },
      ...{
        url: new URL("http://x/"),
        error: new TypeError("no"),
        none: undefined,
        view: new Float64Array([0]),
      },
    };
    expect(JSON.parse(formatJson(value))).toEqual({
      ...{ date: "1970-01-01T00:00:00.000Z", big: "18446744073709551616", small: 3, nan: "NaN" },
      ...{ far: "-Infinity", bytes: "AQI=", set: [1], named: { a: 1 }, pairs: [[1, "b"]], pattern: "/x/g" },
      ...{ url: "http://x/", error: { name: "TypeError", message: "no" }, view: "AAAAAAAAAAA=" },
    });
  });

  it("formats a message as its type and fields", () => {
    expect(JSON.parse(formatJson({ message: new AIMessage("hello") }))).toMatchObject({
      message: { type: "ai", content: "hello" },
    });
  });

  it("marks circular references, and repeats shared objects", () => {
    const shared = { x: 1 };
    const value: Record<string, unknown> = { first: shared, second: shared };
    value.self = value;
    expect(JSON.parse(formatJson(value))).toEqual({ first: { x: 1 }, second: { x: 1 }, self: "[circular]" });
  });

  it("prints only printable ASCII, and parses back to the same text", () => {
    const value = { text: "\u001b[2J\u009b\u202e\u2028\ud83d\u0007" };
    expect(formatJson(value)).toMatch(/^[ -~]*$/);
    expect(JSON.parse(formatJson(value))).toEqual(value);
  });
});
