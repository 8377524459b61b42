import assert from "node:assert/strict";
import type { CheckpointCase } from "./checkpoint-case.js";
import {
  assertGone,
  assertRefused,
  assertStored,
  freshId,
  idsOf,
  later,
  listedIds,
  saveAll,
  sequence,
} from "./checkpoint-checks.js";

/** What the option `keepLast` of `save` promises. */
export const retentionCases: readonly CheckpointCase[] = [
  {
    name: "keepLast keeps the newest of the execution, with the one that is saved",
    check: async (scene) => {
      const { store, executionId, threadId } = scene;
      const checkpoints = sequence(scene, 5);
      for (const each of checkpoints) await store.save(each, { keepLast: 3 });
      assert.deepEqual(await store.list(executionId), checkpoints.slice(2));
      assert.deepEqual(await store.list({ threadId }), checkpoints.slice(2));
      for (const each of checkpoints.slice(0, 2)) await assertGone(store, each);
    },
  },
  {
    name: "a save without keepLast deletes nothing",
    check: async (scene) => {
      const { store, executionId } = scene;
      const checkpoints = sequence(scene, 30);
      await saveAll(store, checkpoints);
      assert.deepEqual(await listedIds(store, executionId), idsOf(checkpoints));
    },
  },
  {
    name: "keepLast of 1 keeps only the saved checkpoint, if that is the newest",
    check: async (scene) => {
      const { store, executionId } = scene;
      const [first, second, third] = sequence(scene, 3);
      assert.ok(first && second && third);
      await saveAll(store, [first, second]);
      await store.save(third, { keepLast: 1 });
      assert.deepEqual(await store.list(executionId), [third]);
    },
  },
  {
    name: "keepLast never deletes the saved checkpoint, also where it is the oldest",
    check: async (scene) => {
      const { store, executionId, checkpoint } = scene;
      const checkpoints = sequence(scene, 4);
      const oldest = checkpoint({ timestamp: later(-60) });
      await saveAll(store, checkpoints);
      await store.save(oldest, { keepLast: 2 });
      assert.deepEqual(await store.list(executionId), [oldest, ...checkpoints.slice(2)]);
    },
  },
  {
    name: "keepLast follows the whole order: time, version, bytes of the id",
    check: async ({ store, executionId, checkpoint }) => {
      const prefix = freshId("id");
      const ends = ["9", "é", "\uffff", "😀"].map((end) => checkpoint({ id: `${prefix}${end}` }));
      const newer = checkpoint({ version: 10 });
      await saveAll(store, [...ends, newer]);
      await store.save(checkpoint({ id: `${prefix}a`, version: 9 }), { keepLast: 4 });
      const kept = [...idsOf(ends.slice(2)), `${prefix}a`, newer.id];
      assert.deepEqual(await listedIds(store, executionId), kept);
    },
  },
  {
    name: "keepLast leaves other executions of the thread alone",
    check: async (scene) => {
      const { store, executionId, threadId, checkpoint } = scene;
      const others = [1, 2, 3].map((n) =>
        checkpoint({
          metadata: { execution_id: `${executionId}x`, thread_id: threadId },
          timestamp: later(-n),
        }),
      );
      const checkpoints = sequence(scene, 3);
      await saveAll(store, others);
      for (const each of checkpoints) await store.save(each, { keepLast: 1 });
      assert.deepEqual(await store.list(executionId), checkpoints.slice(2));
      assert.equal((await store.list({ threadId })).length, 4);
    },
  },
  {
    name: "keepLast is about the thread where the checkpoint has no execution",
    check: async (scene) => {
      const { store, threadId, checkpoint } = scene;
      const withExecution = sequence(scene, 3);
      await saveAll(store, withExecution);
      const saved = checkpoint({ metadata: { thread_id: threadId }, timestamp: later(60) });
      await store.save(saved, { keepLast: 2 });
      assert.deepEqual(await store.list({ threadId }), [...withExecution.slice(2), saved]);
    },
  },
  {
    name: "keepLast of a replaced checkpoint is about the execution that it moves to",
    check: async (scene) => {
      const { store, executionId, checkpoint } = scene;
      const target = { execution_id: freshId("exec") };
      const [left, moving] = sequence(scene, 2);
      assert.ok(left && moving);
      const there = [1, 2, 3].map((n) => checkpoint({ metadata: target, timestamp: later(n) }));
      await saveAll(store, [left, moving, ...there]);
      const moved = { ...moving, metadata: target, timestamp: later(9) };
      await store.save(moved, { keepLast: 2 });
      assert.deepEqual(await store.list(target.execution_id), [...there.slice(2), moved]);
      assert.deepEqual(await store.list(executionId), [left]);
    },
  },
  {
    name: "keepLast of a checkpoint without execution and thread is refused, and nothing is stored",
    check: async ({ store, checkpoint }) => {
      const refused = checkpoint({ metadata: { execution_id: 7 } });
      await assertRefused(() => store.save(refused, { keepLast: 3 }), {
        code: "INVALID_CONFIG",
        field: "options.keepLast",
      });
      await assertGone(store, refused);
    },
  },
  {
    name: "concurrent saves with keepLast never delete one of the newest, and the next save leaves the number",
    check: async (scene) => {
      const { store, executionId, threadId } = scene;
      const checkpoints = sequence(scene, 24);
      await Promise.all(checkpoints.map((each) => store.save(each, { keepLast: 3 })));
      const listed = await store.list(executionId);
      assert.deepEqual(listed.slice(-3), checkpoints.slice(-3));
      // A save keeps its own checkpoint, so some that were saved late may be left besides.
      for (const each of listed) await assertStored(store, each);
      const last = scene.checkpoint({ timestamp: later(100) });
      await store.save(last, { keepLast: 3 });
      const kept = [...checkpoints.slice(-2), last];
      assert.deepEqual([await store.list(executionId), await store.list({ threadId })], [kept, kept]);
    },
  },
];
