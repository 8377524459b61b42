import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { quantile, summarize } from "../../bench/measure/statistics.js";
import { takeTurns, timed } from "../../bench/measure/take-turns.js";
import { runs } from "../../test-support/runs.js";

const times = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1 });

describe("a summary of durations", () => {
  it("names the median and the spread, whatever the order", () => {
    const series = Array.from({ length: 101 }, (_, index) => 100 - index);
    expect(summarize(series)).toEqual({ medianMs: 50, p5Ms: 5, p95Ms: 95, rounds: 101 });
    expect(summarize([4, 1]).medianMs).toBe(2.5);
  });

  it("is ordered and within what was measured", () => {
    fc.assert(
      fc.property(times, (series) => {
        const { p5Ms, medianMs, p95Ms } = summarize(series);
        const order = [Math.min(...series), p5Ms, medianMs, p95Ms, Math.max(...series)];
        // Interpolation may be wrong in the last bit.
        for (let i = 1; i < order.length; i++) {
          expect(Number(order[i])).toBeGreaterThanOrEqual(Number(order[i - 1]) * (1 - 1e-12));
        }
      }),
      runs(100),
    );
  });

  it("is refused where nothing was measured", () => {
    expect(() => quantile([], 0.5)).toThrow(RangeError);
  });
});

describe("operations in turns", () => {
  const played = async (names: string[], rounds: number) => {
    const calls: string[] = [];
    await takeTurns(
      names.map((name) => () => Promise.resolve(calls.push(name))),
      rounds,
    );
    return calls.join("");
  };

  it("are two as often in one order as in the other", async () => {
    expect(await played(["a", "b"], 4)).toBe("abbabaab");
  });

  it("are three in each of their orders equally often", async () => {
    expect(await played(["a", "b", "c"], 6)).toBe("abcbcacabcbaacbbac");
  });

  it("are awaited before the clock is read, and never overlap", async () => {
    let running = 0;
    const operation = async () => {
      running++;
      expect(running).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
    };
    await takeTurns([() => timed(operation), operation], 3);
    expect(running).toBe(0);
  });
});
