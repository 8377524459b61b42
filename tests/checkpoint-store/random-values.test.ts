import { randomUUID } from "node:crypto";
import { expect, it } from "@jest/globals";
import fc from "fast-check";
import { createCheckpoint } from "../../src/checkpoint-store/index.js";
import { SerializationError } from "../../src/errors/index.js";
import { firstDifference } from "../../src/serde/test-support/first-difference.js";
import { value } from "../../src/serde/test-support/values.js";
import { runs } from "../../test-support/runs.js";
import { describeEachBackend } from "./backends.js";

/** Also values that can't be stored, and keys of every form. */
const anything = fc.oneof(
  value,
  fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true, withTypedArray: true }),
  fc.record({ inside: value, call: fc.option(fc.func(fc.nat()), { freq: 5, nil: undefined }) }),
  fc.record({ inside: value, symbol: fc.option(fc.constant(Symbol("s")), { freq: 5, nil: undefined }) }),
);

describeEachBackend("a random value", (suite) => {
  it("is read back equal, as state and in metadata, or refused", async () => {
    const store = await suite.open();
    const property = fc.asyncProperty(anything, anything, async (state, metadata) => {
      const checkpoint = createCheckpoint({
        executionId: randomUUID(),
        nodeName: "n",
        state,
        metadata: { value: metadata },
      });
      try {
        await store.save(checkpoint);
      } catch (error) {
        expect(error).toBeInstanceOf(SerializationError);
        expect(error).toHaveProperty("checkpointId", checkpoint.id);
        return;
      }
      const [listed] = await store.list({ executionId: String(checkpoint.metadata?.execution_id) });
      for (const read of [await store.load(checkpoint.id), listed])
        expect(firstDifference(read, checkpoint, "checkpoint", "of keys is ignored")).toBeUndefined();
    });
    await fc.assert(property, runs(100));
  });
});
