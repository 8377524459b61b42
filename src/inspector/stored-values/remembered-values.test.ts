import { describe, expect, it } from "@jest/globals";
import { setImmediate } from "node:timers/promises";
import { RememberedValues } from "./remembered-values.js";

/** Reads that last until their signal aborts. */
function endlessReads() {
  const signals: AbortSignal[] = [];
  const read = (signal: AbortSignal): Promise<unknown> => {
    signals.push(signal);
    return new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => {
        reject(new Error("aborted"));
      });
    });
  };
  return { signals, read };
}

describe("RememberedValues", () => {
  it("ends a read when no call waits for the value any more, and then starts again", async () => {
    const values = new RememberedValues();
    const { signals, read } = endlessReads();
    const [first, second] = [new AbortController(), new AbortController()];
    const calls = [first, second].map(({ signal }) => values.get("key", read, signal));
    const results = Promise.allSettled(calls);

    first.abort();
    await setImmediate();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);

    second.abort();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(await values.get("key", () => Promise.resolve(1), new AbortController().signal)).toBe(1);
    expect((await results).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });

  it("reads once what several calls ask for, and remembers it", async () => {
    const values = new RememberedValues();
    let reads = 0;
    const read = (): Promise<unknown> => Promise.resolve(++reads);
    const { signal } = new AbortController();
    expect(await Promise.all([values.get("a", read, signal), values.get("a", read, signal)])).toEqual([1, 1]);
    expect(await values.get("a", read, signal)).toBe(1);
    expect(await values.get("b", read, signal)).toBe(2);
  });
});
