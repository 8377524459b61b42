import assert from "node:assert/strict";
import type { CheckpointScope } from "../../checkpoint-store/checkpoint-store.js";
import type { CheckpointCase } from "./checkpoint-case.js";
import {
  assertRefused,
  assertStored,
  freshId,
  idsOf,
  listedIds,
  saveAll,
  sequence,
} from "./checkpoint-checks.js";
import { DISTINCT_ENDS } from "./saves.js";

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
export const scopeCases: readonly CheckpointCase[] = [
  {
    name: "a list has the checkpoints of its execution or thread, and no others",
    check: async ({ store, executionId, threadId, checkpoint }) => {
      const ofBoth = checkpoint();
      const ofExecution = checkpoint({ metadata: { execution_id: executionId } });
      const ofThread = checkpoint({ metadata: { thread_id: threadId } });
      const ofOthers = checkpoint({
        metadata: { execution_id: freshId("exec"), thread_id: freshId("thread") },
      });
      await saveAll(store, [ofBoth, ofExecution, ofThread, ofOthers]);
      const inExecution = idsOf([ofBoth, ofExecution]).sort();
      assert.deepEqual((await listedIds(store, executionId)).sort(), inExecution);
      assert.deepEqual((await listedIds(store, { executionId })).sort(), inExecution);
      assert.deepEqual((await listedIds(store, { threadId })).sort(), idsOf([ofBoth, ofThread]).sort());
    },
  },
  {
    name: "an execution and a thread with the same id are different",
    check: async ({ store, executionId: id, checkpoint }) => {
      const ofExecution = checkpoint({ metadata: { execution_id: id } });
      const ofThread = checkpoint({ metadata: { thread_id: id } });
      await saveAll(store, [ofExecution, ofThread]);
      assert.deepEqual(await listedIds(store, id), [ofExecution.id]);
      assert.deepEqual(await listedIds(store, { threadId: id }), [ofThread.id]);
      assert.equal(await store.clear({ threadId: id }), 1);
      await assertStored(store, ofExecution);
    },
  },
  {
    name: "executions and threads whose ids differ in any character are different",
    check: async ({ store, executionId, threadId, checkpoint }) => {
      const checkpoints = DISTINCT_ENDS.map((end) =>
        checkpoint({ metadata: { execution_id: `${executionId}${end}`, thread_id: `${threadId}${end}` } }),
      );
      await saveAll(store, checkpoints);
      for (const [n, end] of DISTINCT_ENDS.entries()) {
        const expected = idsOf(checkpoints.slice(n, n + 1));
        assert.deepEqual(await listedIds(store, `${executionId}${end}`), expected);
        assert.deepEqual(await listedIds(store, { threadId: `${threadId}${end}` }), expected);
      }
    },
  },
  ...Object.entries(UNLISTED).map(([what, metadataOf]): CheckpointCase => ({
    name: `a checkpoint without an execution and a thread is loaded, and is in no list: ${what}`,
    check: async ({ store, executionId: id, checkpoint }) => {
      const saved = checkpoint({ metadata: { ...metadataOf(id) } });
      await store.save(saved);
      assert.deepEqual(await store.load(saved.id), saved);
      assert.deepEqual([await store.list(id), await store.list({ threadId: id })], [[], []]);
      assert.equal(await store.clear(id), 0);
      assert.equal(await store.delete(saved.id), true);
    },
  })),
  {
    name: "an execution or thread that does not exist has an empty list, and no latest checkpoint",
    check: async ({ store }) => {
      const id = freshId("none");
      const scopes: CheckpointScope[] = [id, { executionId: id }, { threadId: id }];
      for (const scope of scopes) {
        assert.deepEqual(await store.list(scope), []);
        assert.deepEqual(await store.list(scope, { limit: 1, order: "desc" }), []);
        assert.equal(await store.latest(scope), undefined);
      }
    },
  },
  ...Object.entries(INVALID).map(([what, scope]): CheckpointCase => ({
    name: `a scope that names nothing is refused by InvalidConfigError, and is never all: ${what}`,
    check: async (scene) => {
      const { store, executionId } = scene;
      await saveAll(store, sequence(scene, 2));
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
  })),
];
