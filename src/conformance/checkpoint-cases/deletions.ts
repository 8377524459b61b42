import assert from "node:assert/strict";
import type { CheckpointCase } from "./checkpoint-case.js";
import {
  assertGone,
  assertStored,
  freshId,
  later,
  listedIds,
  saveAll,
  sequence,
} from "./checkpoint-checks.js";

/** What `delete` and `clear` promise. */
export const deletionCases: readonly CheckpointCase[] = [
  {
    name: "a deleted checkpoint is gone from everywhere, and the others stay",
    check: async (scene) => {
      const [first, second, third] = sequence(scene, 3);
      assert.ok(first && second && third);
      await saveAll(scene.store, [first, second, third]);
      assert.equal(await scene.store.delete(second.id), true);
      await assertGone(scene.store, second);
      await assertStored(scene.store, first);
      await assertStored(scene.store, third);
    },
  },
  {
    name: "to delete what does not exist is no error, and returns false",
    check: async ({ store, checkpoint }) => {
      const saved = checkpoint();
      assert.equal(await store.delete(saved.id), false);
      await store.save(saved);
      assert.equal(await store.delete(saved.id), true);
      assert.equal(await store.delete(saved.id), false);
    },
  },
  {
    name: "a deleted checkpoint may be saved again",
    check: async ({ store, checkpoint }) => {
      const saved = checkpoint({ version: 5 });
      const again = { ...saved, state: "again", version: 1 };
      await store.save(saved);
      await store.delete(saved.id);
      await store.save(again);
      await assertStored(store, again);
    },
  },
  {
    name: "clear deletes an execution, returns the number, and leaves the others",
    check: async (scene) => {
      const { store, executionId, threadId, checkpoint } = scene;
      const cleared = sequence(scene, 3);
      const other = checkpoint({ metadata: { execution_id: freshId("exec"), thread_id: threadId } });
      const unlisted = checkpoint({ metadata: null });
      await saveAll(store, [...cleared, other, unlisted]);
      assert.equal(await store.clear(executionId), 3);
      for (const each of cleared) await assertGone(store, each);
      await assertStored(store, other);
      assert.deepEqual(await listedIds(store, { threadId }), [other.id]);
      assert.deepEqual(await store.load(unlisted.id), unlisted);
    },
  },
  {
    name: "clear deletes a thread with the checkpoints of all its executions",
    check: async (scene) => {
      const { store, executionId, threadId, checkpoint } = scene;
      const cleared = [
        ...sequence(scene, 2),
        checkpoint({ metadata: { execution_id: freshId("exec"), thread_id: threadId } }),
        checkpoint({ metadata: { thread_id: threadId } }),
      ];
      const other = checkpoint({ metadata: { execution_id: executionId }, timestamp: later(9) });
      await saveAll(store, [...cleared, other]);
      assert.equal(await store.clear({ threadId }), 4);
      for (const each of cleared) await assertGone(store, each);
      assert.deepEqual(await store.list(executionId), [other]);
    },
  },
  {
    name: "to clear what does not exist is no error, and returns 0",
    check: async (scene) => {
      const { store, executionId, threadId } = scene;
      assert.equal(await store.clear(executionId), 0);
      await saveAll(store, sequence(scene, 2));
      assert.equal(await store.clear({ executionId }), 2);
      assert.equal(await store.clear({ executionId }), 0);
      assert.equal(await store.clear({ threadId }), 0);
    },
  },
  {
    name: "a cleared execution may be used again",
    check: async (scene) => {
      const { store, executionId } = scene;
      const checkpoints = sequence(scene, 2);
      await saveAll(store, checkpoints);
      await store.clear(executionId);
      await saveAll(store, checkpoints);
      assert.deepEqual(await store.list(executionId), checkpoints);
    },
  },
  {
    name: "clear leaves a checkpoint that has moved to another execution",
    check: async ({ store, executionId, checkpoint }) => {
      const [staying, moving] = [checkpoint(), checkpoint()];
      const moved = { ...moving, metadata: { execution_id: freshId("exec") } };
      await saveAll(store, [staying, moving, moved]);
      assert.equal(await store.clear(executionId), 1);
      await assertGone(store, staying);
      await assertStored(store, moved);
    },
  },
];
