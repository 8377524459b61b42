import { afterEach, beforeEach, expect, it } from "@jest/globals";
import fc from "fast-check";
import { PostgresSaver } from "../../src/index.js";
import { runs } from "../../test-support/runs.js";
import { describeEachTarget, type TestDatabase } from "../../test-support/targets.js";

const THREADS = ["a", "b"];

/** A call of `withThreadLock`. */
interface Call {
  readonly saver: number;
  readonly thread: string;
  readonly waitMs: number | undefined;
  /** How many queries the function runs. */
  readonly queries: number;
  readonly fails: boolean;
  /** Whether the caller aborts after a query of its own. */
  readonly aborts: boolean;
}

const anyCall: fc.Arbitrary<Call> = fc.record({
  saver: fc.nat({ max: 1 }),
  thread: fc.constantFrom(...THREADS),
  waitMs: fc.constantFrom(undefined, undefined, 0, 5),
  queries: fc.nat({ max: 3 }),
  fails: fc.boolean(),
  aborts: fc.boolean(),
});

describeEachTarget("the lock of a thread", (target) => {
  let database: TestDatabase;
  let savers: PostgresSaver[];

  beforeEach(async () => {
    database = await target.createDatabase();
    savers = [new PostgresSaver(database.source), new PostgresSaver(database.source)];
  });
  afterEach(async () => {
    for (const saver of savers) await saver.end();
  });

  it("is held by one call at a time and free in the end, whichever calls wait, abort or fail", async () => {
    const failure = new Error("failed");
    const history = async (calls: readonly Call[]): Promise<void> => {
      const running = new Set<string>();
      let overlaps = 0;
      const outcomes = calls.map(async ({ saver, thread, waitMs, queries, fails, aborts }) => {
        const caller = new AbortController();
        const state = { hasBegun: false };
        const outcome = savers[saver]?.withThreadLock(
          thread,
          async () => {
            state.hasBegun = true;
            if (running.has(thread)) overlaps++;
            running.add(thread);
            for (let query = 0; query < queries; query++) await database.query("select 1");
            running.delete(thread);
            if (fails) throw failure;
            return "ran";
          },
          { waitMs, signal: caller.signal },
        );
        const settled = Promise.allSettled([outcome]);
        if (aborts) {
          await database.query("select 1");
          caller.abort();
        }
        const [result] = await settled;
        const reason: unknown = result.status === "rejected" ? result.reason : undefined;
        if (state.hasBegun) expect(reason ?? "ran").toBe(fails ? failure : "ran");
        else expect(["THREAD_LOCKED", "ABORTED"]).toContain((reason as { code: string }).code);
      });
      await Promise.all(outcomes);
      expect(overlaps).toBe(0);
      for (const saver of savers) {
        for (const thread of THREADS) await saver.withThreadLock(thread, () => "ran", { waitMs: 10_000 });
      }
    };
    await fc.assert(fc.asyncProperty(fc.array(anyCall, { minLength: 1, maxLength: 12 }), history), runs(25));
  });
});
