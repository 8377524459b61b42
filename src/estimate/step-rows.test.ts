import { randomBytes } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { type ChainedValue, nextValue, wholeValue } from "../splices/value-chain.js";
import { keptLists, type StoredList, storedLists } from "./step-rows.js";

const STEPS = 200;
const BYTES = 1_000;

describe("a list that grows with each step", () => {
  it("is stored as long as it is without splices", () => {
    const lists = storedLists({ steps: 3, bytesPerStep: BYTES, splices: false });
    expect(lists.map(({ bytes }) => bytes)).toEqual([1_000, 2_000, 3_000]);
  });

  it("is stored with splices as the saver does: whole at the same steps, otherwise as many bytes", () => {
    const lists = storedLists({ steps: STEPS, bytesPerStep: BYTES, splices: true });
    const real = splicesOf(STEPS);
    expect(lists.flatMap(({ rowsToRead }, step) => (rowsToRead === 1 ? [step] : []))).toEqual(
      real.flatMap(({ isWhole }, step) => (isWhole ? [step] : [])),
    );
    for (const [step, { bytes, rows }] of real.entries()) {
      expect(Math.abs((lists[step]?.bytes ?? 0) - bytes)).toBeLessThanOrEqual(30);
      expect(lists[step]?.rowsToRead).toBe(rows);
    }
  });

  it("needs the steps that the kept ones refer to, and no others", () => {
    const whole = storedLists({ steps: STEPS, bytesPerStep: BYTES, splices: false });
    expect(keptLists(whole, 3)).toEqual(whole.slice(-3));
    const spliced = storedLists({ steps: STEPS, bytesPerStep: BYTES, splices: true });
    for (const kept of [1, 5, STEPS, 2 * STEPS]) {
      const needed = new Set<number>();
      for (let step = Math.max(0, STEPS - kept); step < STEPS; step++) {
        for (const used of chainOf(spliced, step)) needed.add(used);
      }
      expect(keptLists(spliced, kept)).toHaveLength(needed.size);
    }
    expect(chainOf(spliced, STEPS - 1)).toHaveLength(spliced[STEPS - 1]?.rowsToRead ?? 0);
  });
});

function chainOf(lists: readonly StoredList[], step: number): number[] {
  const base = lists[step]?.base;
  return base === undefined ? [step] : [step, ...chainOf(lists, base)];
}

/** What the code of the saver makes of a list. It compares values from 4 KiB on. */
function splicesOf(steps: number) {
  let all = new Uint8Array();
  let last: ChainedValue | undefined;
  return Array.from({ length: steps }, (_, step) => {
    all = Buffer.concat([all, randomBytes(BYTES)]);
    const isShort = last === undefined || all.length < 4_096;
    const next = isShort || last === undefined ? undefined : nextValue(last, `${step}`, all);
    last = next?.value ?? wholeValue(`${step}`, all);
    const splice = next?.splice;
    return {
      isWhole: splice === undefined,
      bytes: splice?.payload.length ?? all.length,
      rows: 1 + last.bases.length,
    };
  });
}
