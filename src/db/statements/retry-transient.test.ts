import { afterEach, describe, expect, it } from "@jest/globals";
import { setImmediate as nextTurn } from "node:timers/promises";
import { AbortError, ConnectionError, DatabaseError } from "../../errors/index.js";
import { ManualTime } from "../../../test-support/manual-time.js";
import { retryTransient } from "./retry-transient.js";

const FAST = { minDelayMs: 0, maxDelayMs: 0 };
const time = new ManualTime();

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
    const done = retryTransient(operation.attempt, { minDelayMs: 100, maxDelayMs: 500, maxElapsedMs: 1e9 });
    const pauses: number[] = [];
    while (operation.attempts <= 6) {
      await settle();
      const [due = Infinity] = time.timersWithin(10_000).toSorted((a, b) => a - b);
      if (operation.attempts > 6) break;
      pauses.push(due - time.now);
      time.pass(due - time.now);
    }
    await expect(done).resolves.toBe("done");
    for (const [n, [least, most]] of [
      [100, 200],
      [200, 400],
      [400, 500],
      [500, 500],
      [500, 500],
      [500, 500],
    ].entries()) {
      expect(pauses[n]).toBeGreaterThanOrEqual(least ?? 0);
      expect(pauses[n]).toBeLessThanOrEqual(most ?? 0);
    }
  });

  it("starts no attempt after its time, except the last one at its end, and leaves no timer", async () => {
    const operation = failing(lost(1), lost(2), lost(3));
    time.start();
    const done = retryTransient(operation.attempt, {
      minDelayMs: 60_000,
      maxDelayMs: 60_000,
      maxElapsedMs: 1_000,
    });
    const outcome = expect(done).rejects.toThrow("lost 2");
    await settle();
    expect(operation.attempts).toBe(1);
    time.pass(1_000);
    await outcome;
    expect(operation.attempts).toBe(2);
    expect(time.timers).toEqual([]);
  });

  it("leaves no timer where it succeeds", async () => {
    time.start();
    const done = retryTransient(failing(lost(1)).attempt, { ...FAST, maxElapsedMs: 1_000 });
    await settle();
    time.pass(0);
    await expect(done).resolves.toBe("done");
    expect(time.timers).toEqual([]);
  });
});
