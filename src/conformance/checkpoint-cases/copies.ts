import assert from "node:assert/strict";
import type { ExecutionCheckpoint } from "../../checkpoint-store/model/execution-checkpoint.js";
import type { CheckpointCase } from "./checkpoint-case.js";

interface Parts {
  list: number[];
  map: Map<string, number[]>;
  bytes: Uint8Array;
}

const parts = (): Parts => ({ list: [1], map: new Map([["a", [1]]]), bytes: new Uint8Array([1]) });

/** Changes everything that a checkpoint holds. */
function spoil(checkpoint: ExecutionCheckpoint): void {
  const { list, map, bytes } = checkpoint.state as Parts;
  list.push(2);
  map.get("a")?.push(2);
  map.set("b", []);
  bytes[0] = 2;
  Object.assign(checkpoint.metadata ?? {}, { execution_id: "other", extra: true });
  checkpoint.timestamp.setTime(0);
}

/** What a store promises about objects that its caller changes. */
export const copyCases: readonly CheckpointCase[] = [
  {
    name: "a change of a checkpoint after the call of save changes nothing stored, even before it is stored",
    check: async ({ store, executionId, checkpoint }) => {
      const [given, expected] = twins(checkpoint({ state: parts() }));
      const saving = store.save(given);
      spoil(given);
      await saving;
      spoil(given);
      assert.deepEqual(await store.load(given.id), expected);
      assert.deepEqual(await store.list(executionId), [expected]);
    },
  },
  {
    name: "a change of a checkpoint that was read changes nothing stored",
    check: async ({ store, executionId, threadId, checkpoint }) => {
      const [given, expected] = twins(checkpoint({ state: parts() }));
      await store.save(given);
      spoil(await store.load(given.id));
      for (const each of await store.list(executionId)) spoil(each);
      for (const each of [await store.latest({ threadId })]) if (each !== undefined) spoil(each);
      assert.deepEqual(await store.load(given.id), expected);
      assert.deepEqual(await store.latest(executionId), expected);
    },
  },
  {
    name: "two reads share nothing with each other",
    check: async ({ store, executionId, checkpoint }) => {
      const [given, expected] = twins(checkpoint({ state: parts() }));
      await store.save(given);
      const [one, other] = await Promise.all([store.load(given.id), store.load(given.id)]);
      const [listed] = await store.list(executionId);
      spoil(one);
      assert.deepEqual([other, listed], [expected, expected]);
    },
  },
  {
    name: "a checkpoint that was read stays as it was when it is replaced or deleted",
    check: async ({ store, executionId, checkpoint }) => {
      const [given, expected] = twins(checkpoint({ state: parts() }));
      await store.save(given);
      const [loaded, listed] = [await store.load(given.id), await store.list(executionId)];
      await store.save({ ...given, state: "new" });
      await store.delete(given.id);
      assert.deepEqual([loaded, listed], [expected, [expected]]);
    },
  },
];

/** A checkpoint, and an equal one that shares nothing with it. */
function twins(checkpoint: ExecutionCheckpoint): [given: ExecutionCheckpoint, expected: ExecutionCheckpoint] {
  return [checkpoint, structuredClone(checkpoint)];
}
