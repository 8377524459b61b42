import { randomUUID } from "node:crypto";
import { expect, it } from "@jest/globals";
import fc from "fast-check";
import {
  BackendCheckpointStore,
  type CheckpointStore,
  type ExecutionCheckpoint,
} from "../../src/checkpoint-store/index.js";
import { runs } from "../../test-support/runs.js";
import { describeEachKind } from "./backends.js";
import { type AnyCall, checkpointOf, crowds, IDS, LISTED_IDS } from "./model/any-call.js";
import { ModelStore } from "./model/model-store.js";
import { resultOf } from "./model/result-of.js";

describeEachKind("after random calls that are made at once", (suite) => {
  it("each checkpoint is one that was saved, whole, and in exactly its lists", async () => {
    const unchecked = await suite.open();
    const optimistic = new BackendCheckpointStore(unchecked.backend, { concurrency: "optimistic" });
    const property = fc.asyncProperty(fc.array(crowds, { minLength: 1, maxLength: 3 }), async (history) => {
      const prefix = `${randomUUID()} `;
      for (const crowd of history) {
        await Promise.all(crowd.map((call) => resultOf({ unchecked, optimistic }, call, prefix)));
        await expectConsistency(unchecked, history.flat(), prefix);
      }
    });
    await fc.assert(property, runs(25));
  });
});

async function expectConsistency(
  store: CheckpointStore,
  calls: readonly AnyCall[],
  prefix: string,
): Promise<void> {
  const loaded = await Promise.allSettled(IDS.map((id) => store.load(prefix + id)));
  const model = new ModelStore();
  for (const outcome of loaded) {
    if (outcome.status === "rejected") continue;
    expect(savedIn(calls, prefix)).toContainEqual(outcome.value);
    model.save(outcome.value, undefined, false);
  }
  for (const id of LISTED_IDS.map((each) => prefix + each)) {
    for (const scope of [{ executionId: id }, { threadId: id }]) {
      expect(await store.list(scope)).toStrictEqual(model.list(scope));
    }
  }
}

/** The checkpoints of all saves. */
function savedIn(calls: readonly AnyCall[], prefix: string): ExecutionCheckpoint[] {
  return calls
    .flatMap((call) => {
      if (call.kind === "saveMany") return call.checkpoints;
      return call.kind === "save" ? [call.checkpoint] : [];
    })
    .map((checkpoint) => checkpointOf(checkpoint, prefix));
}
