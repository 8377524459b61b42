import assert from "node:assert/strict";
import type { CheckpointScope } from "../../checkpoint-store/checkpoint-store.js";
import {
  type CheckpointCases,
  assertRefused,
  assertStored,
  freshId,
  idsIn,
  listedIds,
  saveAll,
  type CheckpointScene,
  later,
} from "./checkpoint-checks.js";
import { DISTINCT_ENDS } from "./saves.js";
import type { ExecutionCheckpoint } from "../../checkpoint-store/model/execution-checkpoint.js";
import { casesOf } from "../suite-case.js";

/** Metadata by which a checkpoint is in no list. */
const UNLISTED: Readonly<Record<string, (id: string) => object>> = {
  "an execution_id that is a number": () => ({ execution_id: 7, thread_id: 7 }),
  "an execution_id that is null": () => ({ execution_id: null, thread_id: null }),
  "an execution_id that is a list with the text": (id) => ({ execution_id: [id], thread_id: [id] }),
  "an empty execution_id": () => ({ execution_id: "", thread_id: "" }),
  "ids in a nested object": (id) => ({ ids: { execution_id: id, thread_id: id } }),
  "keys that only look alike": (id) => ({ executionId: id, Execution_id: id, threadId: id }),
};

/** What is no scope, and the field that the error names. */
const INVALID: Readonly<Record<string, unknown>> = {
  "an empty text": "",
  "an empty execution": { executionId: "" },
  "an empty thread": { threadId: "" },
  "an object without an id": {},
  undefined: undefined,
  null: null,
};

/** What a store promises about executions and threads. */
export const scopeCases: CheckpointCases = {
  "a list has the checkpoints of its execution or thread, and no others": async (scene) => {
    const { store, executionId, threadId, checkpoint } = scene;
    const ofBoth = checkpoint();
    const ofExecution = checkpoint({ metadata: { execution_id: executionId } });
    const ofThread = checkpoint({ metadata: { thread_id: threadId } });
    const ofOthers = checkpoint({
      metadata: { execution_id: freshId("exec"), thread_id: freshId("thread") },
    });
    await saveAll(store, [ofBoth, ofExecution, ofThread, ofOthers]);
    const inExecution = idsIn([ofBoth, ofExecution]).sort();
    assert.deepEqual((await listedIds(store, executionId)).sort(), inExecution);
    assert.deepEqual((await listedIds(store, { executionId })).sort(), inExecution);
    assert.deepEqual((await listedIds(store, { threadId })).sort(), idsIn([ofBoth, ofThread]).sort());
  },

  "an execution and a thread with the same id are different": async (scene) => {
    const { store, executionId: id, checkpoint } = scene;
    const ofExecution = checkpoint({ metadata: { execution_id: id } });
    const ofThread = checkpoint({ metadata: { thread_id: id } });
    await saveAll(store, [ofExecution, ofThread]);
    assert.deepEqual(await listedIds(store, id), [ofExecution.id]);
    assert.deepEqual(await listedIds(store, { threadId: id }), [ofThread.id]);
    assert.equal(await store.clear({ threadId: id }), 1);
    await assertStored(store, ofExecution);
  },

  "executions and threads whose ids differ in any character are different": async (scene) => {
    const { store, executionId, threadId, checkpoint } = scene;
    const checkpoints = DISTINCT_ENDS.map((end) =>
      checkpoint({ metadata: { execution_id: `${executionId}${end}`, thread_id: `${threadId}${end}` } }),
    );
    await saveAll(store, checkpoints);
    for (const [n, end] of DISTINCT_ENDS.entries()) {
      const expected = idsIn(checkpoints.slice(n, n + 1));
      assert.deepEqual(await listedIds(store, `${executionId}${end}`), expected);
      assert.deepEqual(await listedIds(store, { threadId: `${threadId}${end}` }), expected);
    }
  },

  ...casesOf(
    "a checkpoint without an execution and a thread is loaded, and is in no list",
    UNLISTED,
    async (metadataOf, { store, executionId: id, checkpoint }: CheckpointScene) => {
      const saved = checkpoint({ metadata: { ...metadataOf(id) } });
      await store.save(saved);
      assert.deepEqual(await store.load(saved.id), saved);
      assert.deepEqual([await store.list(id), await store.list({ threadId: id })], [[], []]);
      assert.equal(await store.clear(id), 0);
      assert.equal(await store.delete(saved.id), true);
    },
  ),

  "an execution or thread that does not exist has an empty list, and no latest checkpoint": async (scene) => {
    const { store } = scene;
    const id = freshId("none");
    const scopes: CheckpointScope[] = [id, { executionId: id }, { threadId: id }];
    for (const scope of scopes) {
      assert.deepEqual(await store.list(scope), []);
      assert.deepEqual(await store.list(scope, { limit: 1, order: "desc" }), []);
      assert.equal(await store.latest(scope), undefined);
    }
  },

  ...casesOf(
    "a scope that names nothing is refused by InvalidConfigError, and is never all",
    INVALID,
    async (scope, { store, executionId, sequence }: CheckpointScene) => {
      await saveAll(store, sequence(2));
      const invalid = scope as CheckpointScope;
      for (const call of [
        () => store.list(invalid),
        () => store.latest(invalid),
        () => store.clear(invalid),
      ]) {
        await assertRefused(call, { name: "InvalidConfigError", code: "INVALID_CONFIG" });
      }
      assert.equal((await store.list(executionId)).length, 2);
    },
  ),
};

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
export const listCases: CheckpointCases = {
  "a list is sorted by time": (scene) =>
    assertOrder(
      scene,
      ORDERED_TIMES.map((time, n) =>
        // Neither versions nor ids may matter.
        scene.checkpoint({ timestamp: new Date(time), version: 100 - n }),
      ),
    ),

  "checkpoints of the same time are sorted by version, as a number": (scene) =>
    assertOrder(
      scene,
      [0, 1, 2, 9, 10, 99, 100, 2 ** 31 - 1].map((version) => scene.checkpoint({ version })),
    ),

  "checkpoints of the same time and version are sorted by the bytes of their ids": (scene) => {
    const prefix = freshId("id");
    return assertOrder(
      scene,
      ENDS_BY_BYTES.map((end) => scene.checkpoint({ id: `${prefix}${end}` })),
    );
  },

  "a checkpoint that is saved again with another time or version changes its place": async (scene) => {
    const { store, executionId, sequence } = scene;
    const [a, b, c] = sequence(3);
    assert.ok(a && b && c);
    await saveAll(store, [a, b, c, { ...a, timestamp: later(5) }]);
    assert.deepEqual(await listedIds(store, executionId), idsIn([b, c, a]));
    await store.save({ ...c, timestamp: b.timestamp, version: 0 });
    assert.deepEqual(await listedIds(store, executionId), idsIn([c, b, a]));
  },

  "a list has whole checkpoints, by execution and by thread": async (scene) => {
    const { store, executionId, threadId, sequence } = scene;
    const checkpoints = sequence(4);
    await saveAll(store, checkpoints);
    assert.deepEqual(await store.list(executionId), checkpoints);
    assert.deepEqual(await store.list({ threadId }), checkpoints);
  },

  "limit and order choose the oldest or the newest": async ({ store, executionId, threadId, sequence }) => {
    const checkpoints = sequence(5);
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

  "the latest checkpoint is the last of the order, not the one that was saved last": async (scene) => {
    const { store, executionId, threadId, checkpoint } = scene;
    const [oldest, newest] = [checkpoint({ timestamp: later(-1) }), checkpoint({ timestamp: later(1) })];
    const ofSameTime = checkpoint({ timestamp: later(1), version: 0 });
    await saveAll(store, [newest, ofSameTime, oldest]);
    assert.deepEqual(await store.latest(executionId), newest);
    assert.deepEqual(await store.latest({ threadId }), newest);
    await store.delete(newest.id);
    assert.deepEqual(await store.latest(executionId), ofSameTime);
  },

  "the latest checkpoint of a thread may be of any of its executions": async (scene) => {
    const { store, threadId, checkpoint } = scene;
    const ofExecution = (execution_id: string, seconds: number) =>
      checkpoint({ metadata: { execution_id, thread_id: threadId }, timestamp: later(seconds) });
    const [first, second] = [ofExecution(freshId("exec"), 2), ofExecution(freshId("exec"), 1)];
    await saveAll(store, [first, second]);
    assert.deepEqual(await store.list({ threadId }), [second, first]);
    assert.deepEqual(await store.latest({ threadId }), first);
  },

  "a list of 250 checkpoints is complete and sorted": async ({ store, executionId, sequence }) => {
    const checkpoints = sequence(250);
    await Promise.all(checkpoints.map((each) => store.save(each)));
    assert.deepEqual(await listedIds(store, executionId), idsIn(checkpoints));
    const newest = await store.list(executionId, { limit: 120, order: "desc" });
    assert.deepEqual(idsIn(newest), idsIn(checkpoints).reverse().slice(0, 120));
    assert.equal(await store.clear(executionId), 250);
  },
};

/** Saves checkpoints in another order than theirs, and fails unless they are listed in theirs. */
async function assertOrder(
  { store, executionId, threadId }: CheckpointScene,
  checkpoints: readonly ExecutionCheckpoint[],
): Promise<void> {
  const odd = checkpoints.filter((_, n) => n % 2 === 1);
  const even = checkpoints.filter((_, n) => n % 2 === 0);
  await saveAll(store, [...odd.reverse(), ...even]);
  assert.deepEqual(await listedIds(store, executionId), idsIn(checkpoints));
  assert.deepEqual(await listedIds(store, { threadId }), idsIn(checkpoints));
  assert.deepEqual(idsIn(await store.list(executionId, { order: "desc" })), idsIn(checkpoints).reverse());
  assert.equal((await store.latest(executionId))?.id, checkpoints.at(-1)?.id);
}
