import { afterEach, describe, expect, it } from "@jest/globals";
import { setImmediate as nextTurn } from "node:timers/promises";
import { AbortError, ConnectionError, DatabaseError } from "../../errors/index.js";
import { ManualTime } from "../../../test-support/manual-time.js";
import { retryTransient } from "./retry-transient.js";

const FAST = { minDelayMs: 0, maxDelayMs: 0 };
/** Far longer than the timers of earlier test files, which share this process. */
const LONG_MS = 1_000_000;
const time = new ManualTime();

/** How long the timers of this test still run. A clock with fractions adds rounding errors. */
function ownTimers(): number[] {
  return time.timers
    .map((due) => Math.round(due - time.now))
    .filter((ms) => ms >= LONG_MS && ms <= 10 * LONG_MS);
}

/** An operation that fails with these errors, one after the other, and then succeeds. */
function failing(...errors: readonly Error[]) {
  const operation = {
    attempts: 0,
    attempt: (): Promise<string> => {
      const error = errors[operation.attempts++];
      return error === undefined ? Promise.resolve("done") : Promise.reject(error);
    },
  };
  return operation;
}

const lost = (n: number): ConnectionError => new ConnectionError(`lost ${n}`);
const permanent = new DatabaseError("refused");

/** Lets everything run that waits for no timer. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await nextTurn();
}

describe("retryTransient", () => {
  afterEach(() => {
    time.stop();
  });

  it("repeats an operation until it has no transient fault", async () => {
    const operation = failing(lost(1), lost(2), lost(3));
    await expect(retryTransient(operation.attempt, FAST)).resolves.toBe("done");
    expect(operation.attempts).toBe(4);
  });

  it("doesn't repeat a permanent error, be it the first one or one after a transient fault", async () => {
    for (const [errors, attempts] of [
      [[permanent], 1],
      [[lost(1), permanent], 2],
      [[lost(1), lost(2), permanent], 3],
    ] as const) {
      const operation = failing(...errors);
      await expect(retryTransient(operation.attempt, FAST)).rejects.toBe(permanent);
      expect(operation.attempts).toBe(attempts);
    }
  });

  it("repeats nothing where retries are off", async () => {
    const operation = failing(lost(1));
    await expect(retryTransient(operation.attempt, false)).rejects.toThrow("lost 1");
    expect(operation.attempts).toBe(1);
  });

  it("reports each retry with the fault before it, and what the operation waits for", async () => {
    const retries: unknown[] = [];
    const waits: string[] = [];
    await retryTransient(failing(lost(1), lost(2)).attempt, FAST, {
      observer: { retrying: ({ failure, attempt }) => retries.push([failure.message, attempt]) },
      progress: { waitsFor: (what) => waits.push(what), moved: () => undefined, about: () => undefined },
    });
    expect(retries).toEqual([
      ["lost 1", 2],
      ["lost 2", 3],
    ]);
    expect(waits).toEqual(["database", "retry", "database", "retry", "database"]);
  });

  it("makes no attempt for a signal that has aborted", async () => {
    const operation = failing();
    const run = { signal: AbortSignal.abort() };
    await expect(retryTransient(operation.attempt, FAST, run)).rejects.toThrow(AbortError);
    expect(operation.attempts).toBe(0);
  });

  it("says that it was aborted, and not what an attempt failed with in the meantime", async () => {
    const controller = new AbortController();
    const operation = failing(lost(1));
    const attempt = (): Promise<string> => {
      if (operation.attempts === 1) {
        controller.abort();
        return Promise.reject(permanent);
      }
      return operation.attempt();
    };
    await expect(retryTransient(attempt, FAST, { signal: controller.signal })).rejects.toThrow(AbortError);
  });

  it("pauses longer each time, from the shortest pause to the longest one", async () => {
    const operation = failing(...Array.from({ length: 6 }, (_, n) => lost(n)));
    time.start();
    const done = retryTransient(operation.attempt, {
      minDelayMs: LONG_MS,
      maxDelayMs: 5 * LONG_MS,
      maxElapsedMs: 1_000 * LONG_MS,
    });
    const pauses: number[] = [];
    await settle();
    while (operation.attempts <= 6) {
      const [pause] = ownTimers();
      if (pause === undefined) throw new Error("no pause before the next attempt");
      pauses.push(pause);
      // One more, since a pause is rounded.
      time.pass(pause + 1);
      await settle();
    }
    await expect(done).resolves.toBe("done");
    for (const [n, [least, most]] of [
      [1, 2],
      [2, 4],
      [4, 5],
      [5, 5],
      [5, 5],
      [5, 5],
    ].entries()) {
      expect(pauses[n]).toBeGreaterThanOrEqual((least ?? 0) * LONG_MS);
      expect(pauses[n]).toBeLessThanOrEqual((most ?? 0) * LONG_MS);
    }
  });

  it("starts no attempt after its time, except the last one at its end, and leaves no timer", async () => {
    const operation = failing(lost(1), lost(2), lost(3));
    time.start();
    const done = retryTransient(operation.attempt, {
      minDelayMs: 100 * LONG_MS,
      maxDelayMs: 100 * LONG_MS,
      maxElapsedMs: 8 * LONG_MS,
    });
    const outcome = expect(done).rejects.toThrow("lost 2");
    await settle();
    expect(operation.attempts).toBe(1);
    time.pass(8 * LONG_MS);
    await outcome;
    expect(operation.attempts).toBe(2);
    expect(ownTimers()).toEqual([]);
  });

  it("leaves no timer where it succeeds", async () => {
    time.start();
    const done = retryTransient(failing(lost(1)).attempt, { ...FAST, maxElapsedMs: 8 * LONG_MS });
    await settle();
    expect(ownTimers()).toEqual([LONG_MS]);
    time.pass(0);
    await expect(done).resolves.toBe("done");
    expect(ownTimers()).toEqual([]);
  });
});
