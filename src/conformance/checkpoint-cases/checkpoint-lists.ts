import assert from "node:assert/strict";
import type { ExecutionCheckpoint } from "../../checkpoint-store/model/execution-checkpoint.js";
import type { CheckpointCase, CheckpointScene } from "./checkpoint-case.js";
import { freshId, idsOf, later, listedIds, saveAll, sequence } from "./checkpoint-checks.js";

/** Ends of ids in the order of their bytes. Other orders sort by letters, by numbers or by UTF-16. */
const ENDS_BY_BYTES = [
  "",
  "!",
  "10",
  "9",
  "A",
  "Z",
  "_",
  "a",
  "e\u0301",
  "z",
  "é",
  "Ж",
  "\ue000",
  "\uffff",
  "😀",
];

/** Times in their order. Sorted as texts, many of them change places. */
const ORDERED_TIMES = [
  ...["0001-01-01T00:00:00Z", "0999-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z", "1970-01-01T00:00:00Z"],
  ...[
    "2026-11-22T14:05:06Z",
    "2026-11-22T14:05:06.001Z",
    "2026-11-22T14:05:06.010Z",
    "2026-11-22T14:05:06.1Z",
  ],
  ...["2026-11-22T14:05:07Z", "9999-12-31T23:59:59.999Z"],
];

/** What `list` and `latest` promise. */
export const listCases: readonly CheckpointCase[] = [
  {
    name: "a list is sorted by time",
    check: (scene) =>
      assertOrder(
        scene,
        ORDERED_TIMES.map((time, n) =>
          // Neither versions nor ids may matter.
          scene.checkpoint({ timestamp: new Date(time), version: 100 - n }),
        ),
      ),
  },
  {
    name: "checkpoints of the same time are sorted by version, as a number",
    check: (scene) =>
      assertOrder(
        scene,
        [0, 1, 2, 9, 10, 99, 100, 2 ** 31 - 1].map((version) => scene.checkpoint({ version })),
      ),
  },
  {
    name: "checkpoints of the same time and version are sorted by the bytes of their ids",
    check: (scene) => {
      const prefix = freshId("id");
      return assertOrder(
        scene,
        ENDS_BY_BYTES.map((end) => scene.checkpoint({ id: `${prefix}${end}` })),
      );
    },
  },
  {
    name: "a checkpoint that is saved again with another time or version changes its place",
    check: async (scene) => {
      const { store, executionId } = scene;
      const [a, b, c] = sequence(scene, 3);
      assert.ok(a && b && c);
      await saveAll(store, [a, b, c, { ...a, timestamp: later(5) }]);
      assert.deepEqual(await listedIds(store, executionId), idsOf([b, c, a]));
      await store.save({ ...c, timestamp: b.timestamp, version: 0 });
      assert.deepEqual(await listedIds(store, executionId), idsOf([c, b, a]));
    },
  },
  {
    name: "a list has whole checkpoints, by execution and by thread",
    check: async (scene) => {
      const { store, executionId, threadId } = scene;
      const checkpoints = sequence(scene, 4);
      await saveAll(store, checkpoints);
      assert.deepEqual(await store.list(executionId), checkpoints);
      assert.deepEqual(await store.list({ threadId }), checkpoints);
    },
  },
  {
    name: "limit and order choose the oldest or the newest",
    check: async (scene) => {
      const { store, executionId, threadId } = scene;
      const checkpoints = sequence(scene, 5);
      await saveAll(store, [...checkpoints].reverse());
      const newestFirst = [...checkpoints].reverse();
      for (const scope of [executionId, { threadId }]) {
        assert.deepEqual(await store.list(scope, { limit: 2 }), checkpoints.slice(0, 2));
        assert.deepEqual(await store.list(scope, { limit: 2, order: "asc" }), checkpoints.slice(0, 2));
        assert.deepEqual(await store.list(scope, { order: "desc" }), newestFirst);
        assert.deepEqual(await store.list(scope, { limit: 2, order: "desc" }), newestFirst.slice(0, 2));
        assert.deepEqual(await store.list(scope, { limit: 100 }), checkpoints);
      }
    },
  },
  {
    name: "the latest checkpoint is the last of the order, not the one that was saved last",
    check: async (scene) => {
      const { store, executionId, threadId, checkpoint } = scene;
      const [oldest, newest] = [checkpoint({ timestamp: later(-1) }), checkpoint({ timestamp: later(1) })];
      const ofSameTime = checkpoint({ timestamp: later(1), version: 0 });
      await saveAll(store, [newest, ofSameTime, oldest]);
      assert.deepEqual(await store.latest(executionId), newest);
      assert.deepEqual(await store.latest({ threadId }), newest);
      await store.delete(newest.id);
      assert.deepEqual(await store.latest(executionId), ofSameTime);
    },
  },
  {
    name: "the latest checkpoint of a thread may be of any of its executions",
    check: async ({ store, threadId, checkpoint }) => {
      const ofExecution = (execution_id: string, seconds: number) =>
        checkpoint({ metadata: { execution_id, thread_id: threadId }, timestamp: later(seconds) });
      const [first, second] = [ofExecution(freshId("exec"), 2), ofExecution(freshId("exec"), 1)];
      await saveAll(store, [first, second]);
      assert.deepEqual(await store.list({ threadId }), [second, first]);
      assert.deepEqual(await store.latest({ threadId }), first);
    },
  },
  {
    name: "a list of 250 checkpoints is complete and sorted",
    check: async (scene) => {
      const { store, executionId } = scene;
      const checkpoints = sequence(scene, 250);
      await Promise.all(checkpoints.map((each) => store.save(each)));
      assert.deepEqual(await listedIds(store, executionId), idsOf(checkpoints));
      const newest = await store.list(executionId, { limit: 120, order: "desc" });
      assert.deepEqual(idsOf(newest), idsOf(checkpoints).reverse().slice(0, 120));
      assert.equal(await store.clear(executionId), 250);
    },
  },
];

/** Saves checkpoints in another order than theirs, and fails unless they are listed in theirs. */
async function assertOrder(
  { store, executionId, threadId }: CheckpointScene,
  checkpoints: readonly ExecutionCheckpoint[],
): Promise<void> {
  const odd = checkpoints.filter((_, n) => n % 2 === 1);
  const even = checkpoints.filter((_, n) => n % 2 === 0);
  await saveAll(store, [...odd.reverse(), ...even]);
  assert.deepEqual(await listedIds(store, executionId), idsOf(checkpoints));
  assert.deepEqual(await listedIds(store, { threadId }), idsOf(checkpoints));
  assert.deepEqual(idsOf(await store.list(executionId, { order: "desc" })), idsOf(checkpoints).reverse());
  assert.equal((await store.latest(executionId))?.id, checkpoints.at(-1)?.id);
}
