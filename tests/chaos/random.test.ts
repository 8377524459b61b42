import { describe, expect, it } from "@jest/globals";
import { Random } from "./random.js";

describe("a seeded generator", () => {
  it("returns the same numbers for the same seed, and others for another seed", () => {
    const draw = (seed: number): number[] => {
      const random = new Random(seed);
      return Array.from({ length: 20 }, () => random.between(1, 1_000));
    };
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
  });

  it("stays within its bounds, and reaches both", () => {
    const random = new Random(1);
    const drawn = new Set(Array.from({ length: 1_000 }, () => random.between(2, 4)));
    expect([...drawn].sort()).toEqual([2, 3, 4]);
  });

  it("shuffles without losing items", () => {
    const items = Array.from({ length: 50 }, (_, i) => i);
    const shuffled = new Random(3).shuffle(items);
    expect(shuffled).not.toEqual(items);
    expect(shuffled.sort((a, b) => a - b)).toEqual(items);
  });
});
