import { describe, expect, it } from "@jest/globals";
import { commonStart } from "./cut-text.js";

describe("the common start of two texts", () => {
  it("ends a little before their first difference", () => {
    const text = "x".repeat(5_000);
    expect(commonStart(`${text}a`, `${text}b`)).toBe(4_900);
    expect(commonStart("short a", "short b")).toBe(0);
  });

  it("never ends between the halves of a character", () => {
    const text = "😀".repeat(100);
    expect(commonStart(`${text}xa`, `${text}xb`) % 2).toBe(0);
  });
});
