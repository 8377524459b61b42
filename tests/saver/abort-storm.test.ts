import { expect, it } from "@jest/globals";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { AbortError } from "../../src/index.js";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { runs } from "../../test-support/runs.js";
import { describeServer } from "../../test-support/targets.js";
import { OPENINGS } from "./bounded/openings.js";

/**
 * When each call is aborted, in milliseconds: before the server has begun, while it is working, or
 * afterwards.
 */
const anyMoments = fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 10, maxLength: 40 });

describeServer("calls that are aborted at any moment", (target) => {
  it.each(OPENINGS)(
    "cancel no other call, and are stored completely or not at all, on $on",
    async ({ open }) => {
      const { source } = await target.migratedDatabase();
      // A statement that another call's cancel request hits would not be retried.
      const { saver, close } = open(source, {}, { max: 4 });
      const others = await putValues(saver, threadConfig("others"), { a: ["kept"] });

      /** Puts a checkpoint and aborts the call after a delay. Afterwards all of it is stored, or nothing. */
      async function putAndAbort(delayMs: number, nth: number): Promise<void> {
        const controller = new AbortController();
        const thread = newThread();
        const put = saver.batch(
          async (batch) => {
            if (nth % 2 === 0) await batch.deleteThread("none");
            const config = threadConfig(thread, { checkpoint_id: "1" });
            await batch.putWrites(config, [["a", "x".repeat(20_000)]], "task");
            const next = { ...others.checkpoint, id: `1${thread}` };
            await batch.put(
              threadConfig(thread),
              next,
              { source: "loop", step: 0, parents: {} },
              next.channel_versions,
            );
          },
          { signal: controller.signal },
        );
        const outcome = put.then(
          () => "stored",
          (error: unknown) => error,
        );
        await sleep(delayMs);
        controller.abort();
        const result = await outcome;
        const stored = await saver.getTuple(threadConfig(thread));
        if (result === "stored") expect(stored?.checkpoint.channel_values).toEqual({ a: ["kept"] });
        else {
          expect(result).toBeInstanceOf(AbortError);
          expect(stored).toBeUndefined();
        }
      }

      async function callMeanwhile(): Promise<void> {
        await putValues(saver, threadConfig(newThread()), { a: ["meanwhile"] });
        expect((await saver.getTuple(others.config))?.checkpoint.channel_values).toEqual({ a: ["kept"] });
        await saver.batch((batch) => batch.deleteThread(newThread()));
      }

      await fc.assert(
        fc.asyncProperty(anyMoments, async (moments) => {
          await Promise.all(moments.flatMap((delayMs, nth) => [putAndAbort(delayMs, nth), callMeanwhile()]));
        }),
        runs(6),
      );
      await close();
    },
  );
});
