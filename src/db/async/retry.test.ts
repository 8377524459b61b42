import { describe, expect, it } from "@jest/globals";
import { AbortError } from "../../errors/index.js";
import { retry } from "./retry.js";

const HOUR_MS = 3_600_000;

describe("retry", () => {
  it("returns the result of an attempt during which the signal aborts", async () => {
    const caller = new AbortController();
    const attempt = (count: number): Promise<string> => {
      if (count === 1) return Promise.reject(new Error("lost"));
      caller.abort();
      return Promise.resolve("stored");
    };
    const plan = { pauseMs: () => 0, signal: caller.signal, afterError: () => true };
    await expect(retry(attempt, plan)).resolves.toBe("stored");
  });

  it("makes no other attempt when the signal has aborted", async () => {
    const caller = new AbortController();
    let attempts = 0;
    const attempt = (): Promise<void> => {
      attempts++;
      caller.abort();
      return Promise.reject(new Error("lost"));
    };
    const plan = { pauseMs: () => HOUR_MS, signal: caller.signal, afterError: () => true };
    await expect(retry(attempt, plan)).rejects.toBeInstanceOf(AbortError);
    expect(attempts).toBe(1);
  });

  it("makes the last attempt when the time is over, and returns or throws what it did", async () => {
    const time = new AbortController();
    const plan = {
      pauseMs: () => HOUR_MS,
      over: time.signal,
      afterError: () => true,
      afterResult: () => true,
    };
    const repeated = retry((count) => Promise.resolve(count), plan);
    setImmediate(() => {
      time.abort();
    });
    await expect(repeated).resolves.toBe(2);
    await expect(retry((count) => Promise.reject(new Error(`lost ${count}`)), plan)).rejects.toThrow(
      "lost 1",
    );
  });
});
