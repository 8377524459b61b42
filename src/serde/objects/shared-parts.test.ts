import { describe, expect, it } from "@jest/globals";
import { SharedParts } from "./shared-parts.js";

const PLACE = { depth: 3, inKwargs: false, isInMessage: false };
const MIB = 2 ** 20;

describe("the parts of a value", () => {
  it("are large from 128 KiB on", () => {
    const parts = new SharedParts<string>(MIB);
    parts.count(2 ** 17 - 1);
    expect(parts.areLarge).toBe(false);
    parts.count(1);
    expect([parts.areLarge, parts.bytes]).toEqual([true, 2 ** 17]);
  });

  it("are encoded once in the same surroundings, not deeper, if they take 64 bytes", () => {
    const parts = new SharedParts<string>(MIB);
    const [part, small] = [{}, {}];
    for (const [each, bytes] of [
      [part, 64],
      [small, 63],
    ] as const) {
      const before = parts.bytes;
      parts.count(bytes);
      parts.remember(each, PLACE, before, "encoded");
    }
    expect(parts.repeat(small, PLACE)).toBeUndefined();
    expect(parts.repeat({}, PLACE)).toBeUndefined();
    for (const other of [{ depth: 4 }, { inKwargs: true }, { isInMessage: true }])
      expect(parts.repeat(part, { ...PLACE, ...other })).toBeUndefined();
    expect(parts.bytes).toBe(127);
    expect(parts.repeat(part, PLACE)).toBe("encoded");
    expect(parts.repeat(part, { ...PLACE, depth: 2 })).toBe("encoded");
    expect(parts.bytes).toBe(127 + 2 * 64);
  });

  it("may take as many bytes as a value", () => {
    const parts = new SharedParts<string>(100);
    parts.count(100);
    expect(parts.problem).toBeUndefined();
    parts.count(1);
    expect(parts.problem).toBe("the value takes more than 100 bytes");
  });

  it.each([
    // 16 MiB may be repeated, or 16 times what all parts take once.
    [MIB, 16, 0, undefined],
    [
      MIB,
      17,
      0,
      "the value refers to the same objects so often that writing it takes more than 18874368 bytes",
    ],
    [MIB, 17, MIB / 16, undefined],
  ])("may be repeated: one of %d bytes %d times beside %d bytes", (bytes, times, others, problem) => {
    const parts = new SharedParts<string>(2 ** 30);
    const part = {};
    parts.count(bytes);
    parts.remember(part, PLACE, 0, "encoded");
    parts.count(others);
    for (let time = 0; time < times; time++) parts.repeat(part, PLACE);
    expect(parts.problem).toBe(problem);
  });
});
