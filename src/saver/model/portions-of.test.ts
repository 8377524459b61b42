import { expect, it } from "@jest/globals";
import { portionsOf } from "./portions-of.js";

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
