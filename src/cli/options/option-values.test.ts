import { describe, expect, it } from "@jest/globals";
import {
  collectChannelValue,
  parseDuration,
  parseJsonObject,
  parseTime,
  parseBytes,
  parseQuantity,
} from "./option-values.js";

describe("parseDuration", () => {
  it.each([
    ["90s", 90_000],
    ["45m", 2_700_000],
    ["1.5h", 5_400_000],
    ["30d", 2_592_000_000],
    ["2w", 1_209_600_000],
    ["250ms", 250],
    ["0d", 0],
  ])("parses %s to milliseconds", (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  it.each(["", "30", "d", "-1d", "1 d", "1y", "1e3s"])("rejects %j", (text) => {
    expect(() => parseDuration(text)).toThrow("Expected a duration");
  });
});

describe("parseTime", () => {
  it("parses an ISO 8601 time or an age, and rejects everything else", () => {
    expect(parseTime("2026-03-01T12:00:00Z")).toEqual(new Date("2026-03-01T12:00:00Z"));
    expect(parseTime("1h").getTime()).toBeLessThan(Date.now());
    for (const text of ["", "42", "yesterday", "2026-13-01", "March 1"]) {
      expect(() => parseTime(text)).toThrow("Expected a time");
    }
  });
});

describe("parseJsonObject", () => {
  it("parses an object, and rejects every other JSON", () => {
    expect(parseJsonObject('{"a": [1]}')).toEqual({ a: [1] });
    for (const text of ["[]", "1", "null", "a"]) expect(() => parseJsonObject(text)).toThrow(/Expected/);
  });
});

describe("collectChannelValue", () => {
  it("adds the value of a channel to those of earlier options", () => {
    const first = collectChannelValue('plan="B=C"');
    expect(collectChannelValue("tries=0", first)).toEqual({ plan: "B=C", tries: 0 });
    for (const text of ["plan", "=1", "plan=B"]) expect(() => collectChannelValue(text)).toThrow(/Expected/);
  });

  it("rejects integers that JavaScript would round", () => {
    expect(collectChannelValue('id=[9007199254740992, "9007199254740993"]')).toEqual({
      id: [2 ** 53, "9007199254740993"],
    });
    for (const text of ["id=9007199254740993", 'id={"deep":[-18446744073709551617]}']) {
      expect(() => collectChannelValue(text)).toThrow("Expected integers up to 2^53");
    }
  });
});

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
