import { describe, expect, it } from "@jest/globals";
import { parseBytes, parseQuantity } from "./quantities.js";

describe("parseQuantity", () => {
  it.each([
    ["0", 0],
    ["250", 250],
    ["2.5k", 2_500],
    ["10M", 10_000_000],
    ["1B", 1_000_000_000],
    ["0.1k", 100],
  ])("parses %s", (text, number) => {
    expect(parseQuantity(text)).toBe(number);
  });

  it.each(["", "k", "-1", "1K", "1 k", "1e6", "1kB", "0.5", "99999999999B"])("rejects %j", (text) => {
    expect(() => parseQuantity(text)).toThrow("Expected a number");
  });
});

describe("parseBytes", () => {
  it.each([
    ["500", 500],
    ["500B", 500],
    ["2kB", 2_000],
    ["1.5MB", 1_500_000],
    ["4TB", 4_000_000_000_000],
  ])("parses %s", (text, bytes) => {
    expect(parseBytes(text)).toBe(bytes);
  });

  it.each(["", "B", "2k", "2M", "2KB", "2KiB", "-1kB", "0.5B"])("rejects %j", (text) => {
    expect(() => parseBytes(text)).toThrow("Expected a number of bytes");
  });
});
