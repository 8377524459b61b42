import { expect, test } from "@jest/globals";
import { chainHeights } from "./chain-heights.js";

const rows = (bases: Readonly<Record<string, string | null>>) =>
  Object.entries(bases).map(([version, base]) => ({ version, base }));

test("the height of a whole value is the length of the longest chain above it", () => {
  const heights = chainHeights(rows({ a: null, b: "a", c: "b", d: "a", e: null, f: "e" }));
  expect([...heights]).toEqual(expect.arrayContaining([["a", 2] as const, ["e", 1] as const]));
});

test("values that refer to each other do not keep it from ending", () => {
  expect(chainHeights(rows({ a: "b", b: "a", c: null })).get("c")).toBe(0);
});
