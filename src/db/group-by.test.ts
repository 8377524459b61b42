import { describe, expect, it } from "@jest/globals";
import { groupBy } from "./group-by.js";

describe("groupBy", () => {
  it("keeps the order of the input in the groups and among them", () => {
    const groups = groupBy([3, 1, 4, 1, 5, 9, 2, 6], (value) => (value % 2 === 0 ? "even" : "odd"));
    expect([...groups]).toEqual([
      ["odd", [3, 1, 1, 5, 9]],
      ["even", [4, 2, 6]],
    ]);
  });

  it("returns no groups for no items", () => {
    expect(groupBy([], String).size).toBe(0);
  });
});
