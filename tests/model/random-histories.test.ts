import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { PostgresSaver, ShallowPostgresSaver } from "../../src/index.js";
import { isInlineValue } from "../../src/saver/codec/special-values.js";
import type { CheckpointSaver } from "../../src/checkpoint-saver.js";
import { JsonSerializer, MsgpackSerializer } from "../../src/serde/index.js";
import { collect } from "../../test-support/checkpoints.js";
import { runs, SEED } from "../../test-support/runs.js";
import { describeEachTarget, type TestDatabase } from "../../test-support/targets.js";
import { THREADS } from "./histories.js";
import { forkStep } from "./fork-steps.js";
import { expectSameRows, lifeStep, lookStep } from "./life-steps.js";
import { readStep } from "./read-steps.js";
import { ReferenceSaver } from "./reference-saver.js";
import { batchStep, writeStep } from "./write-steps.js";

/** Calls in a history at most. A failure prints those that are left of it. */
const STEPS = 40;

const history = fc.commands(
  [
    ...times(7, writeStep),
    ...times(2, batchStep),
    ...times(4, readStep),
    ...times(2, forkStep),
    ...times(2, lifeStep),
    ...times(2, lookStep),
  ],
  { maxCommands: STEPS, size: "max" },
);

function times<T>(length: number, item: T): T[] {
  return Array.from({ length }, () => item);
}

const LAYOUTS = {
  MessagePack: {
    serde: () => new MsgpackSerializer(),
    takesBlob: (value: unknown) => !isInlineValue(value),
  },
  JSON: { serde: () => new JsonSerializer(), takesBlob: () => true },
};

const SAVERS = { PostgresSaver, ShallowPostgresSaver };
const SHALLOW = { name: "ShallowPostgresSaver", options: {}, keepLast: 1 } as const;

/** PGlite runs the same SQL and decodes the same rows, slower. */
const RUNS = { postgres: 8, pglite: 3 };

/** Each with histories of its own. */
const CASES = [
  { name: "PostgresSaver", options: {}, keepLast: undefined, layout: "MessagePack", seed: SEED },
  { name: "PostgresSaver", options: {}, keepLast: undefined, layout: "JSON", seed: SEED + 1 },
  { ...SHALLOW, layout: "MessagePack", seed: SEED + 2 },
  { ...SHALLOW, layout: "JSON", seed: SEED + 3 },
  { name: "PostgresSaver", options: { keepLast: 3 }, keepLast: 3, layout: "MessagePack", seed: SEED + 4 },
] as const;

describeEachTarget("after a random history of calls", (target) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await target.createDatabase();
  });

  describe.each(CASES)(
    "a $name $options that writes $layout",
    ({ name, options, keepLast, layout, seed }) => {
      const { serde, takesBlob } = LAYOUTS[layout];
      let saver: CheckpointSaver;

      beforeAll(async () => {
        await database.reset();
        // Histories have checkpoints that are older than their parents, as those of another saver may be.
        saver = new SAVERS[name](database.source, serde(), { clockBehind: "warn", ...options });
        await saver.setup();
      });

      afterAll(() => saver.end());

      /** Empties the database for each history, because lists read all threads. */
      async function emptied(): Promise<CheckpointSaver> {
        for (const thread of THREADS) await saver.deleteThread(thread);
        expect(await collect(saver.list({}))).toEqual([]);
        return saver;
      }

      it("returns what LangGraph's MemorySaver does, with the required differences", async () => {
        await fc.assert(
          fc.asyncProperty(history, async (steps) => {
            const model = new ReferenceSaver({ takesBlob, keepLast });
            const real = await emptied();
            await fc.asyncModelRun(() => ({ model, real }), steps);
            expect(await collect(real.list({}))).toStrictEqual(await model.list({}));
            await expectSameRows(model, real);
          }),
          { ...runs(RUNS[target.name]), seed },
        );
      });
    },
  );
});
