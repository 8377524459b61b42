import { expect, it } from "@jest/globals";
import { distinctPages } from "./distinct-pages.js";

it("touches each page once where there are many, and all of them where there are few", () => {
  expect(distinctPages(1e9, 100)).toBeCloseTo(100, 3);
  expect(distinctPages(10, 1_000)).toBeCloseTo(10, 6);
  expect(distinctPages(0, 5)).toBe(0);
});
