import assert from "node:assert/strict";
import type { ExecutionCheckpoint } from "../../checkpoint-store/model/execution-checkpoint.js";
import {
  type CheckpointCases,
  assertRefused,
  assertStored,
  freshId,
  idsIn,
  later,
  optimistic,
  saveAll,
} from "./checkpoint-checks.js";

/** What the option `concurrency` of stores promises. */
export const versionCases: CheckpointCases = {
  "without the option concurrency, the later of two saves wins, whatever their versions": async (scene) => {
    const { store, checkpoint } = scene;
    const newer = checkpoint({ version: 5 });
    const older = { ...newer, state: "older", version: 4 };
    await saveAll(store, [newer, older]);
    await assertStored(store, older);
  },

  ...optimistic({
    "a larger version replaces a smaller one, also in another execution": async (scene) => {
      const { store, executionId, checkpoint } = scene;
      const first = checkpoint({ version: 0 });
      const second = { ...first, state: "second", version: 1 };
      const third = { ...first, metadata: { execution_id: freshId("exec") }, version: 10 };
      await saveAll(store, [first, second]);
      await assertStored(store, second);
      await store.save(third);
      await assertStored(store, third);
      assert.deepEqual(await store.list(executionId), []);
    },

    "a version that is not larger is refused by CheckpointVersionError, and nothing changes": async (
      scene,
    ) => {
      const { store, executionId, checkpoint } = scene;
      const stored = checkpoint({ version: 10 });
      const elsewhere = { execution_id: freshId("exec") };
      await store.save(stored);
      const stale: Partial<ExecutionCheckpoint>[] = [
        { version: 9 },
        { version: 0, timestamp: later(60) },
        { state: { n: 2 } },
        { nodeName: "other" },
        { timestamp: later(1) },
        { metadata: { ...stored.metadata, more: 1 } },
        { metadata: elsewhere },
        { metadata: null },
        { state: undefined },
      ];
      for (const fields of stale) {
        const refused = { ...stored, ...fields };
        await assertRefused(() => store.save(refused), {
          name: "CheckpointVersionError",
          code: "CHECKPOINT_VERSION",
          checkpointId: stored.id,
          version: refused.version,
          storedVersion: 10,
        });
      }
      assert.deepEqual(await store.list(executionId), [stored]);
      assert.deepEqual(await store.list(elsewhere.execution_id), []);
      await assertStored(store, stored);
    },

    "a repetition passes": async ({ store, executionId, threadId, checkpoint }) => {
      const plain = checkpoint({ version: 3 });
      const rich = checkpoint({
        state: {
          map: new Map([["a", new Set([1n])]]),
          when: new Date(7),
          bytes: new Uint8Array([1]),
          none: undefined,
        },
        metadata: { execution_id: executionId, thread_id: threadId, more: [1, { b: "é" }] },
      });
      const bare = checkpoint({ metadata: null });
      await saveAll(store, [plain, rich, bare]);
      await saveAll(store, [structuredClone(plain), structuredClone(rich), structuredClone(bare)]);
      await assertStored(store, plain);
      await assertStored(store, rich);
    },

    "a deleted checkpoint may be saved with any version": async ({ store, checkpoint }) => {
      const first = checkpoint({ version: 10 });
      const again = { ...first, version: 1 };
      await store.save(first);
      await store.delete(first.id);
      await store.save(again);
      await assertStored(store, again);
    },

    "a refused save deletes nothing by keepLast": async ({ store, executionId, sequence }) => {
      const checkpoints = sequence(4);
      const [, , , last] = checkpoints;
      assert.ok(last);
      await saveAll(store, checkpoints);
      await assertRefused(() => store.save({ ...last, state: "other" }, { keepLast: 1 }), {
        code: "CHECKPOINT_VERSION",
      });
      assert.deepEqual(await store.list(executionId), checkpoints);
      await store.save({ ...last, version: 2 }, { keepLast: 2 });
      assert.deepEqual(idsIn(await store.list(executionId)), idsIn(checkpoints.slice(2)));
    },

    "of concurrent saves with the same version one is stored": async ({ store, executionId, checkpoint }) => {
      const rivals = Array.from({ length: 8 }, (_, n) => n);
      const first = checkpoint();
      const outcomes = await Promise.allSettled(rivals.map((n) => store.save({ ...first, state: { n } })));
      const winners = rivals.filter((n) => outcomes[n]?.status === "fulfilled");
      assert.equal(winners.length, 1, `${winners.length} of the saves have passed`);
      assertOnlyVersionErrors(outcomes);
      assert.deepEqual(await store.list(executionId), [{ ...first, state: { n: winners[0] } }]);
    },

    "of concurrent saves with rising versions the largest is stored at the end": async (scene) => {
      const { store, checkpoint } = scene;
      const first = checkpoint();
      const rivals = [3, 7, 1, 10, 2, 9, 5].map((version) => ({ ...first, version, state: { version } }));
      const outcomes = await Promise.allSettled(rivals.map((each) => store.save(each)));
      assertOnlyVersionErrors(outcomes);
      await assertStored(store, { ...first, version: 10, state: { version: 10 } });
    },
  }),
};

function assertOnlyVersionErrors(outcomes: readonly PromiseSettledResult<void>[]): void {
  for (const outcome of outcomes) {
    if (outcome.status === "fulfilled") continue;
    const reason: unknown = outcome.reason;
    assert.ok(reason instanceof Error);
    assert.equal(Reflect.get(reason, "code"), "CHECKPOINT_VERSION", reason.message);
  }
}
