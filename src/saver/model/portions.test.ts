import { describe, expect, it } from "@jest/globals";
import { nextPageSize, portionsOf } from "./portions.js";

const LIMITS = { rows: 100, characters: 1_000 };

describe("nextPageSize", () => {
  it("grows pages of short rows up to the limit of rows", () => {
    expect(nextPageSize(10, 1, LIMITS)).toBe(40);
    expect(nextPageSize(40, 0, LIMITS)).toBe(100);
  });

  it("shrinks pages of long rows to the limit of characters", () => {
    expect(nextPageSize(100, 50, LIMITS)).toBe(20);
  });

  it("always allows one row", () => {
    expect(nextPageSize(10, 5_000, LIMITS)).toBe(1);
  });
});

it.each([
  { sizes: [], portions: [] },
  { sizes: [0, 0], portions: [[0, 0]] },
  { sizes: [6, 4, 0, 1], portions: [[6, 4, 0], [1]] },
  { sizes: [6, 5], portions: [[6], [5]] },
  { sizes: [20, 1, 10, 2], portions: [[20], [1], [10], [2]] },
  { sizes: [1, 1, 1, 1, 1, 1, 1], portions: [[1, 1, 1], [1, 1, 1], [1]] },
])("a portion has three rows, ten bytes or one value at most: $sizes", ({ sizes, portions }) => {
  const found = portionsOf<number>(sizes, (size) => size, { rows: 3, size: 10 });
  expect([...found]).toEqual(portions);
});
