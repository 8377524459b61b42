import { describe, expect, it } from "@jest/globals";
import { costAt } from "./unit-costs.js";

const POINTS = [
  { size: 100, heap: 200, toast: 0, index: 80, wal: 300 },
  { size: 1_000, heap: 1_100, toast: 0, index: 90, wal: 1_200 },
  { size: 4_000, heap: 150, toast: 4_100, index: 90, wal: 4_500 },
];

describe("the cost of a row", () => {
  it("is that of a measured point, or lies on the line between two", () => {
    expect(costAt(POINTS, 1_000)).toMatchObject({ heap: 1_100, toast: 0, wal: 1_200 });
    expect(costAt(POINTS, 2_500)).toMatchObject({ heap: 625, toast: 2_050, index: 90, wal: 2_850 });
  });

  it("is that of the smallest point below it, and grows above the largest one in TOAST and log alone", () => {
    expect(costAt(POINTS, 1)).toMatchObject({ heap: 200, wal: 300 });
    expect(costAt(POINTS, 40_000)).toMatchObject({ heap: 150, toast: 41_000, index: 90, wal: 45_000 });
  });
});
