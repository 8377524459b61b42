import { describe, expect, it } from "@jest/globals";
import { LoadTally } from "../../bench/measure/load-tally.js";

describe("many threads at once", () => {
  it("take all their steps, each thread one after the other, and go on after one that fails", async () => {
    const tally = new LoadTally();
    const running = [0, 0, 0];
    let highest = 0;
    let taken = 0;
    const threads = running.map((_, thread) => async () => {
      running[thread] = (running[thread] ?? 0) + 1;
      expect(running[thread]).toBe(1);
      highest = Math.max(
        highest,
        running.reduce((sum, steps) => sum + steps, 0),
      );
      await new Promise((resolve) => setImmediate(resolve));
      running[thread] = 0;
      if (++taken === 2) throw new Error("the second step of all");
    });
    await tally.slice(threads, 4);
    await tally.slice(threads, 4);
    const { steps, errors, perSecond, p50Ms, p99Ms } = tally.figures();
    expect({ steps, errors, highest }).toEqual({ steps: 24, errors: 1, highest: 3 });
    expect(perSecond).toBeGreaterThan(0);
    expect(p99Ms).toBeGreaterThanOrEqual(p50Ms);
  });

  it("have no figures where every step failed, but the reason", async () => {
    const tally = new LoadTally();
    const reason = new Error("no server");
    await tally.slice([() => Promise.reject(reason)], 3);
    expect(() => tally.figures()).toThrow(expect.objectContaining({ cause: reason }));
  });
});
