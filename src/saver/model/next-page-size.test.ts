import { describe, expect, it } from "@jest/globals";
import { nextPageSize } from "./next-page-size.js";

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
