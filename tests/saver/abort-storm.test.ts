import { expect, it } from "@jest/globals";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { AbortError } from "../../src/index.js";
import { newThread, putValues, threadConfig } from "../support/checkpoints.js";
import { runs } from "../support/runs.js";
import { describeServer } from "../support/targets.js";
import { OPENINGS } from "./bounded/openings.js";

/** When a call is aborted, in milliseconds: before the server has begun, while it is at it, or after it is done. */
const anyMoments = fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 10, maxLength: 40 });

describeServer("calls that are aborted at any moment", (target) => {
  it.each(OPENINGS)(
    "cancel nothing of anybody else's, and are done or not done, on $on",
    async ({ open }) => {
      const { source } = await target.createDatabase();
      // A statement that another's cancel hits would not be tried again.
      const { saver, close } = open(source, {}, { max: 4 });
      await saver.setup();
      const others = await putValues(saver, threadConfig("others"), { a: ["kept"] });

      /** Puts, and aborts it after some time; afterwards all of it is there, or nothing. */
      async function putAborted(delayMs: number, nth: number): Promise<void> {
        const controller = new AbortController();
        const thread = newThread();
        const put = saver.batch(
          async (batch) => {
            if (nth % 2 === 0) await batch.deleteThread("nobody's");
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

      async function callBeside(): Promise<void> {
        await putValues(saver, threadConfig(newThread()), { a: ["beside"] });
        expect((await saver.getTuple(others.config))?.checkpoint.channel_values).toEqual({ a: ["kept"] });
        await saver.batch((batch) => batch.deleteThread(newThread()));
      }

      await fc.assert(
        fc.asyncProperty(anyMoments, async (moments) => {
          await Promise.all(moments.flatMap((delayMs, nth) => [putAborted(delayMs, nth), callBeside()]));
        }),
        runs(6),
      );
      await close();
    },
  );
});
