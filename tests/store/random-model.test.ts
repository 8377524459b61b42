import { expect, it } from "@jest/globals";
import type { Operation } from "@langchain/langgraph-checkpoint";
import fc from "fast-check";
import { z } from "zod";
import { runs } from "../../test-support/runs.js";
import { describeEachTarget } from "../../test-support/targets.js";
import { batches } from "./model/any-operation.js";
import { ModelStore } from "./model/model-store.js";
import { useStore } from "./stored.js";

const Item = z.object({
  namespace: z.array(z.string()),
  key: z.string(),
  value: z.record(z.string(), z.unknown()),
  version: z.number(),
});

/** A result without the times of items, which a model can't know. */
const Result = z.union([z.undefined(), z.null(), Item, z.array(Item), z.array(z.array(z.string()))]);

describeEachTarget("after random batches", (target) => {
  const suite = useStore(target);

  it("every operation returns what a plain store in memory returns", async () => {
    const { store, database } = suite;
    const property = fc.asyncProperty(batches, async (history: Operation[][]) => {
      await database.exec("delete from store");
      const model = new ModelStore();
      for (const batch of history) {
        const results = z.array(Result).parse(await store.batch(batch));
        expect(results).toEqual(model.batch(batch));
        model.learnTimes(
          await database.query(
            "select prefix, key, extract(epoch from updated_at)::float8 as updated from store",
          ),
        );
      }
    });
    await fc.assert(property, runs(target.name === "pglite" ? 60 : 120));
  });
});
