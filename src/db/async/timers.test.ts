import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { ManualTime } from "../../../test-support/manual-time.js";
import { runs } from "../../../test-support/runs.js";
import { afterLoopTime } from "./timers.js";

const LIMIT_MS = 800;
const HOUR_MS = 3_600_000;

describe("afterLoopTime", () => {
  const time = new ManualTime();
  let calls: number;
  let stop: () => void;
  beforeEach(() => {
    time.start();
    calls = 0;
    stop = afterLoopTime(LIMIT_MS, () => calls++);
  });
  afterEach(() => {
    stop();
    time.stop();
  });

  it("calls once, in the turn after the time has passed", async () => {
    time.pass(LIMIT_MS - 1);
    await nextTurn();
    expect(calls).toBe(0);
    time.pass(1);
    expect(calls).toBe(0);
    await nextTurn();
    time.pass(HOUR_MS);
    await nextTurn();
    expect(calls).toBe(1);
  });

  it("does not count what passes while the process is frozen, whenever that is", async () => {
    for (const before of [0, 1, LIMIT_MS / 2, LIMIT_MS - 1]) {
      let isOver = false;
      const stopThis = afterLoopTime(LIMIT_MS, () => (isOver = true));
      time.pass(before);
      time.freeze(HOUR_MS);
      for (let turn = 0; turn < 5; turn++) await nextTurn();
      expect([before, isOver]).toEqual([before, false]);
      time.pass(LIMIT_MS);
      await nextTurn();
      expect([before, isOver]).toEqual([before, true]);
      stopThis();
    }
  });

  it("calls also where the loop never has time, whatever that does", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 10_000 }),
        fc.array(fc.double({ min: 0.02, max: 5, noNaN: true }), { minLength: 1 }),
        async (limitMs, shares) => {
          const blocks = shares.map((share) => 1 + share * limitMs);
          const state = { isOver: false };
          const stopThis = afterLoopTime(limitMs, () => (state.isOver = true));
          const longest = 20 * Math.max(limitMs, ...blocks);
          const end = time.now + longest;
          for (let block = 0; !state.isOver && time.now < end; block++) {
            time.freeze(blocks[block % blocks.length] ?? 1);
            await nextTurn();
          }
          stopThis();
          expect(state.isOver).toBe(true);
        },
      ),
      runs(50),
    );
  });

  it("calls nothing after it was stopped, also within its last turn", async () => {
    time.pass(LIMIT_MS);
    stop();
    await nextTurn();
    expect([calls, time.timers]).toEqual([0, []]);
  });

  it("waits the whole time where a long turn has set it", async () => {
    time.stop();
    const began = performance.now();
    while (performance.now() - began < 60);
    let isOver = false;
    const stopThis = afterLoopTime(50, () => (isOver = true));
    for (let turn = 0; turn < 3; turn++) await nextTurn();
    stopThis();
    expect(isOver).toBe(false);
  });

  it("never calls without a limit", () => {
    afterLoopTime(Infinity, () => calls++)();
    expect(time.timers).toHaveLength(1);
  });
});
