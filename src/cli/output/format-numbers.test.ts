import { describe, expect, it } from "@jest/globals";
import { ago, countOf, humanBytes, humanTime, pace } from "./format-numbers.js";

describe("numbers and times for people", () => {
  it.each([
    [0, "0 B"],
    [999, "999 B"],
    [1_000, "1.0 kB"],
    [1_234_567, "1.2 MB"],
    [99_960_000, "100 MB"],
    [999_999, "1.0 MB"],
    [17_000_000_000, "17.0 GB"],
    [5e18, "5000000 TB"],
  ])("humanBytes formats %d bytes as %s", (bytes, text) => {
    expect(humanBytes(bytes)).toBe(text);
  });

  it("counted uses the singular for one", () => {
    expect([countOf(1, "thread"), countOf(0, "thread"), countOf(12_345, "thread")]).toEqual([
      "1 thread",
      "0 threads",
      "12,345 threads",
    ]);
  });

  it("humanTime formats times in UTC", () => {
    expect(humanTime(new Date("2026-03-01T12:00:05.678Z"))).toBe("2026-03-01 12:00:05Z");
    expect(humanTime(new Date(NaN))).toBe("unknown");
  });

  it.each([
    [30_000, "just now"],
    [60_000, "1 minute ago"],
    [3 * 3_600_000, "3 hours ago"],
    [40 * 86_400_000, "40 days ago"],
    [-60_000, "in the future"],
  ])("ago formats an age of %d ms as %s", (passed, text) => {
    const now = new Date("2026-03-01T12:00:00Z");
    expect(ago(new Date(now.getTime() - passed), now)).toBe(text);
  });
});

describe("pace", () => {
  it("tells a rate and the time that is left, once two seconds have passed", () => {
    expect(pace(1_000, 10_000, 1_999)).toBe("");
    expect(pace(0, 10_000, 60_000)).toBe("");
    expect(pace(10_000, 100_000, 4_000)).toBe(", 2,500/s, 36 seconds left");
    expect(pace(10_000, 1_000_000, 4_000)).toBe(", 2,500/s, 7 minutes left");
    expect(pace(10_000, undefined, 4_000)).toBe(", 2,500/s");
    expect(pace(10_000, 10_000, 4_000)).toBe(", 2,500/s");
  });
});
