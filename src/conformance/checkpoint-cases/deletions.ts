import assert from "node:assert/strict";
import {
  type CheckpointCases,
  assertGone,
  assertStored,
  freshId,
  later,
  listedIds,
  saveAll,
  assertRefused,
  idsIn,
} from "./checkpoint-checks.js";

/** What `delete` and `clear` promise. */
export const deletionCases: CheckpointCases = {
  "a deleted checkpoint is gone from everywhere, and the others stay": async ({ store, sequence }) => {
    const [first, second, third] = sequence(3);
    assert.ok(first && second && third);
    await saveAll(store, [first, second, third]);
    assert.equal(await store.delete(second.id), true);
    await assertGone(store, second);
    await assertStored(store, first);
    await assertStored(store, third);
  },

  "to delete what does not exist is no error, and returns false": async ({ store, checkpoint }) => {
    const saved = checkpoint();
    assert.equal(await store.delete(saved.id), false);
    await store.save(saved);
    assert.equal(await store.delete(saved.id), true);
    assert.equal(await store.delete(saved.id), false);
  },

  "a deleted checkpoint may be saved again": async ({ store, checkpoint }) => {
    const saved = checkpoint({ version: 5 });
    const again = { ...saved, state: "again", version: 1 };
    await store.save(saved);
    await store.delete(saved.id);
    await store.save(again);
    await assertStored(store, again);
  },

  "clear deletes an execution, returns the number, and leaves the others": async (scene) => {
    const { store, executionId, threadId, checkpoint, sequence } = scene;
    const cleared = sequence(3);
    const other = checkpoint({ metadata: { execution_id: freshId("exec"), thread_id: threadId } });
    const unlisted = checkpoint({ metadata: null });
    await saveAll(store, [...cleared, other, unlisted]);
    assert.equal(await store.clear(executionId), 3);
    for (const each of cleared) await assertGone(store, each);
    await assertStored(store, other);
    assert.deepEqual(await listedIds(store, { threadId }), [other.id]);
    assert.deepEqual(await store.load(unlisted.id), unlisted);
  },

  "clear deletes a thread with the checkpoints of all its executions": async (scene) => {
    const { store, executionId, threadId, checkpoint, sequence } = scene;
    const cleared = [
      ...sequence(2),
      checkpoint({ metadata: { execution_id: freshId("exec"), thread_id: threadId } }),
      checkpoint({ metadata: { thread_id: threadId } }),
    ];
    const other = checkpoint({ metadata: { execution_id: executionId }, timestamp: later(9) });
    await saveAll(store, [...cleared, other]);
    assert.equal(await store.clear({ threadId }), 4);
    for (const each of cleared) await assertGone(store, each);
    assert.deepEqual(await store.list(executionId), [other]);
  },

  "to clear what does not exist is no error, and returns 0": async (scene) => {
    const { store, executionId, threadId, sequence } = scene;
    assert.equal(await store.clear(executionId), 0);
    await saveAll(store, sequence(2));
    assert.equal(await store.clear({ executionId }), 2);
    assert.equal(await store.clear({ executionId }), 0);
    assert.equal(await store.clear({ threadId }), 0);
  },

  "a cleared execution may be used again": async ({ store, executionId, sequence }) => {
    const checkpoints = sequence(2);
    await saveAll(store, checkpoints);
    await store.clear(executionId);
    await saveAll(store, checkpoints);
    assert.deepEqual(await store.list(executionId), checkpoints);
  },

  "clear leaves a checkpoint that has moved to another execution": async (scene) => {
    const { store, executionId, checkpoint } = scene;
    const [staying, moving] = [checkpoint(), checkpoint()];
    const moved = { ...moving, metadata: { execution_id: freshId("exec") } };
    await saveAll(store, [staying, moving, moved]);
    assert.equal(await store.clear(executionId), 1);
    await assertGone(store, staying);
    await assertStored(store, moved);
  },
};

/** What the option `keepLast` of `save` promises. */
export const retentionCases: CheckpointCases = {
  "keepLast keeps the newest of the execution, with the one that is saved": async (scene) => {
    const { store, executionId, threadId, sequence } = scene;
    const checkpoints = sequence(5);
    for (const each of checkpoints) await store.save(each, { keepLast: 3 });
    assert.deepEqual(await store.list(executionId), checkpoints.slice(2));
    assert.deepEqual(await store.list({ threadId }), checkpoints.slice(2));
    for (const each of checkpoints.slice(0, 2)) await assertGone(store, each);
  },

  "a save without keepLast deletes nothing": async ({ store, executionId, sequence }) => {
    const checkpoints = sequence(30);
    await saveAll(store, checkpoints);
    assert.deepEqual(await listedIds(store, executionId), idsIn(checkpoints));
  },

  "keepLast of 1 keeps only the saved checkpoint, if that is the newest": async (scene) => {
    const { store, executionId, sequence } = scene;
    const [first, second, third] = sequence(3);
    assert.ok(first && second && third);
    await saveAll(store, [first, second]);
    await store.save(third, { keepLast: 1 });
    assert.deepEqual(await store.list(executionId), [third]);
  },

  "keepLast never deletes the saved checkpoint, also where it is the oldest": async (scene) => {
    const { store, executionId, checkpoint, sequence } = scene;
    const checkpoints = sequence(4);
    const oldest = checkpoint({ timestamp: later(-60) });
    await saveAll(store, checkpoints);
    await store.save(oldest, { keepLast: 2 });
    assert.deepEqual(await store.list(executionId), [oldest, ...checkpoints.slice(2)]);
  },

  "keepLast follows the whole order: time, version, bytes of the id": async (scene) => {
    const { store, executionId, checkpoint } = scene;
    const prefix = freshId("id");
    const ends = ["9", "é", "\uffff", "😀"].map((end) => checkpoint({ id: `${prefix}${end}` }));
    const newer = checkpoint({ version: 10 });
    await saveAll(store, [...ends, newer]);
    await store.save(checkpoint({ id: `${prefix}a`, version: 9 }), { keepLast: 4 });
    const kept = [...idsIn(ends.slice(2)), `${prefix}a`, newer.id];
    assert.deepEqual(await listedIds(store, executionId), kept);
  },

  "keepLast leaves other executions of the thread alone": async (scene) => {
    const { store, executionId, threadId, checkpoint, sequence } = scene;
    const others = [1, 2, 3].map((n) =>
      checkpoint({
        metadata: { execution_id: `${executionId}x`, thread_id: threadId },
        timestamp: later(-n),
      }),
    );
    const checkpoints = sequence(3);
    await saveAll(store, others);
    for (const each of checkpoints) await store.save(each, { keepLast: 1 });
    assert.deepEqual(await store.list(executionId), checkpoints.slice(2));
    assert.equal((await store.list({ threadId })).length, 4);
  },

  "keepLast is about the thread where the checkpoint has no execution": async (scene) => {
    const { store, threadId, checkpoint, sequence } = scene;
    const withExecution = sequence(3);
    await saveAll(store, withExecution);
    const saved = checkpoint({ metadata: { thread_id: threadId }, timestamp: later(60) });
    await store.save(saved, { keepLast: 2 });
    assert.deepEqual(await store.list({ threadId }), [...withExecution.slice(2), saved]);
  },

  "keepLast of a replaced checkpoint is about the execution that it moves to": async (scene) => {
    const { store, executionId, checkpoint, sequence } = scene;
    const target = { execution_id: freshId("exec") };
    const [left, moving] = sequence(2);
    assert.ok(left && moving);
    const there = [1, 2, 3].map((n) => checkpoint({ metadata: target, timestamp: later(n) }));
    await saveAll(store, [left, moving, ...there]);
    const moved = { ...moving, metadata: target, timestamp: later(9) };
    await store.save(moved, { keepLast: 2 });
    assert.deepEqual(await store.list(target.execution_id), [...there.slice(2), moved]);
    assert.deepEqual(await store.list(executionId), [left]);
  },

  "keepLast of a checkpoint without execution and thread is refused, and nothing is stored": async (
    scene,
  ) => {
    const { store, checkpoint } = scene;
    const refused = checkpoint({ metadata: { execution_id: 7 } });
    await assertRefused(() => store.save(refused, { keepLast: 3 }), {
      code: "INVALID_CONFIG",
      field: "options.keepLast",
    });
    await assertGone(store, refused);
  },

  "concurrent saves with keepLast never delete one of the newest, and the next save leaves the number":
    async (scene) => {
      const { store, executionId, threadId, checkpoint, sequence } = scene;
      const checkpoints = sequence(24);
      await Promise.all(checkpoints.map((each) => store.save(each, { keepLast: 3 })));
      const listed = await store.list(executionId);
      assert.deepEqual(listed.slice(-3), checkpoints.slice(-3));
      // A save keeps its own checkpoint, so some that were saved late may be left besides.
      for (const each of listed) await assertStored(store, each);
      const last = checkpoint({ timestamp: later(100) });
      await store.save(last, { keepLast: 3 });
      const kept = [...checkpoints.slice(-2), last];
      assert.deepEqual([await store.list(executionId), await store.list({ threadId })], [kept, kept]);
    },
};
