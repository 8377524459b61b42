import { describe, expect, it } from "@jest/globals";
import { collectValue, parseDuration, parseJsonObject, parseTime } from "./option-values.js";

describe("what an option is given", () => {
  it.each([
    ["90s", 90_000],
    ["45m", 2_700_000],
    ["1.5h", 5_400_000],
    ["30d", 2_592_000_000],
    ["2w", 1_209_600_000],
    ["250ms", 250],
    ["0d", 0],
  ])("is a length of time: %s", (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  it.each(["", "30", "d", "-1d", "1 d", "1y", "1e3s"])("is none: %j", (text) => {
    expect(() => parseDuration(text)).toThrow("Expected a length of time");
  });

  it("is a time, or how long ago", () => {
    expect(parseTime("2026-03-01T12:00:00Z")).toEqual(new Date("2026-03-01T12:00:00Z"));
    expect(parseTime("1h").getTime()).toBeLessThan(Date.now());
    for (const text of ["", "42", "yesterday", "2026-13-01", "March 1"]) {
      expect(() => parseTime(text)).toThrow("Expected a time");
    }
  });

  it("is a JSON object", () => {
    expect(parseJsonObject('{"a": [1]}')).toEqual({ a: [1] });
    for (const text of ["[]", "1", "null", "a"]) expect(() => parseJsonObject(text)).toThrow(/Expected/);
  });

  it("has no integers that JavaScript would round", () => {
    expect(collectValue('id=[9007199254740992, "9007199254740993"]')).toEqual({
      id: [2 ** 53, "9007199254740993"],
    });
    for (const text of ["id=9007199254740993", 'id={"deep":[-18446744073709551617]}']) {
      expect(() => collectValue(text)).toThrow("Expected integers of up to 2^53");
    }
  });

  it("is the value of a channel, each after those before", () => {
    const first = collectValue('plan="B=C"');
    expect(collectValue("tries=0", first)).toEqual({ plan: "B=C", tries: 0 });
    for (const text of ["plan", "=1", "plan=B"]) expect(() => collectValue(text)).toThrow(/Expected/);
  });
});
