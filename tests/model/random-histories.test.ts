import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { PostgresSaver } from "../../src/index.js";
import { JsonSerializer, MsgpackSerializer } from "../../src/serde/index.js";
import { collect } from "../support/checkpoints.js";
import { describeEachTarget } from "../support/targets.js";
import { THREADS } from "./histories.js";
import { readStep } from "./read-steps.js";
import { ReferenceSaver } from "./reference-saver.js";
import { batchStep, writeStep } from "./write-steps.js";

/**
 * Histories per target and layout. For a longer hunt:
 *
 *     MODEL_RUNS=2000 npm test -- tests/model
 *
 * A failure prints its seed and path, and the calls that are left of the history. To see it again, hand both to
 * `fc.assert` below, with the `replayPath` that is printed to `fc.commands`.
 */
const RUNS = Number(process.env.MODEL_RUNS ?? 40);
const STEPS = 40;

/** So that hunting longer is a matter of the variable alone. */
const TIMEOUT_MS = 60_000 + RUNS * 2_000;

const history = fc.commands(
  [...Array.from({ length: 4 }, () => writeStep), batchStep, ...Array.from({ length: 3 }, () => readStep)],
  { maxCommands: STEPS, size: "max" },
);

const LAYOUTS = { MessagePack: () => new MsgpackSerializer(), JSON: () => new JsonSerializer() };

describeEachTarget("after any history of calls", (target) => {
  describe.each(["MessagePack", "JSON"] as const)("written as %s", (layout) => {
    let saver: PostgresSaver;

    beforeAll(async () => {
      const { source } = await target.createDatabase();
      saver = new PostgresSaver(source, LAYOUTS[layout]());
      await saver.setup();
    });

    afterAll(() => saver.end());

    /** Lists go over all threads: each history has the database to itself. */
    async function emptied(): Promise<PostgresSaver> {
      for (const thread of THREADS) await saver.deleteThread(thread);
      expect(await collect(saver.list({}))).toEqual([]);
      return saver;
    }

    it(
      "a saver returns what LangGraph's saver in memory does, but for the differences that are required",
      async () => {
        await fc.assert(
          fc.asyncProperty(history, async (steps) => {
            const model = new ReferenceSaver();
            const real = await emptied();
            await fc.asyncModelRun(() => ({ model, real }), steps);
            expect(await collect(real.list({}))).toStrictEqual(await model.list({}));
          }),
          { numRuns: RUNS },
        );
      },
      TIMEOUT_MS,
    );
  });
});
