import assert from "node:assert/strict";
import {
  type CheckpointCases,
  assertGone,
  assertStored,
  freshId,
  idsIn,
  listedIds,
  saveAll,
  scopesIn,
} from "./checkpoint-checks.js";

/** What a store promises about calls that are made at once. */
export const concurrencyCases: CheckpointCases = {
  "64 concurrent saves are all stored": async ({ store, executionId, threadId, sequence }) => {
    const checkpoints = sequence(64);
    await Promise.all(checkpoints.map((each) => store.save(each)));
    assert.deepEqual(await store.list(executionId), checkpoints);
    assert.deepEqual(await store.list({ threadId }), checkpoints);
    assert.deepEqual(await Promise.all(checkpoints.map(({ id }) => store.load(id))), checkpoints);
  },

  "concurrent saves of one id leave it in one place, whole": async ({ store, checkpoint }) => {
    const { id } = checkpoint();
    const rivals = Array.from({ length: 30 }, (_, n) =>
      checkpoint({
        id,
        nodeName: `node ${n}`,
        state: { n },
        metadata: { execution_id: `${id} ${n % 5}`, thread_id: `${id} ${n % 3}`, n },
        version: n,
      }),
    );
    await Promise.all(rivals.map((each) => store.save(each)));
    const stored = await store.load(id);
    assert.deepEqual(stored, rivals[stored.version], "parts of different saves");
    for (const scope of rivals.flatMap(({ metadata }) => scopesIn(metadata))) {
      const isThere = scopesIn(stored.metadata).some(
        (each) => JSON.stringify(each) === JSON.stringify(scope),
      );
      assert.deepEqual(await store.list(scope), isThere ? [stored] : [], JSON.stringify(scope));
    }
  },

  "a checkpoint that moves while it is read is always whole": async ({ store, checkpoint }) => {
    const { id } = checkpoint();
    const [here, there] = [freshId("exec"), freshId("exec")];
    const places = Array.from({ length: 20 }, (_, n) =>
      checkpoint({
        id,
        state: { n },
        metadata: { execution_id: n % 2 === 0 ? here : there, n },
        version: n,
      }),
    );
    await store.save(checkpoint({ id, state: { n: 0 }, metadata: { execution_id: here, n: 0 }, version: 0 }));
    const moves = saveAll(store, places);
    const reads = places.flatMap(() => [store.load(id), store.list(here), store.list(there)]);
    const found = (await Promise.all(reads)).flat();
    await moves;
    for (const each of found) assert.deepEqual(each, places[each.version]);
  },

  "of concurrent deletions of one checkpoint one returns true": async ({ store, checkpoint }) => {
    const saved = checkpoint();
    await store.save(saved);
    const deleted = await Promise.all(Array.from({ length: 8 }, () => store.delete(saved.id)));
    assert.equal(deleted.filter(Boolean).length, 1);
    await assertGone(store, saved);
  },

  "concurrent clears of an execution count each checkpoint once": async (scene) => {
    const { store, executionId, threadId, sequence } = scene;
    await saveAll(store, sequence(20));
    const counts = await Promise.all([0, 1, 2, 3].map(() => store.clear({ executionId })));
    assert.equal(
      counts.reduce((sum, count) => sum + count),
      20,
    );
    assert.deepEqual([await store.list(executionId), await store.list({ threadId })], [[], []]);
  },

  "a checkpoint that is saved and deleted at once is stored and listed, or neither": async (scene) => {
    const { store, executionId, sequence } = scene;
    const checkpoints = sequence(20);
    await Promise.all(checkpoints.flatMap((each) => [store.save(each), store.delete(each.id)]));
    await assertListsAgree();
    await Promise.all(checkpoints.flatMap((each) => [store.save(each), store.clear(executionId)]));
    await assertListsAgree();

    async function assertListsAgree(): Promise<void> {
      const listed = new Set(await listedIds(store, executionId));
      for (const each of checkpoints)
        await (listed.has(each.id) ? assertStored(store, each) : assertGone(store, each));
    }
  },

  "calls that are refused do not disturb those of the same moment": async (scene) => {
    const { store, executionId, checkpoint, sequence } = scene;
    const checkpoints = sequence(10);
    const refused = checkpoints.map(() => store.save(checkpoint({ state: () => 1 })));
    const missing = checkpoints.map(() => store.load(freshId("none")));
    const outcomes = Promise.allSettled<unknown>([...refused, ...missing]);
    await Promise.all(checkpoints.map((each) => store.save(each)));
    assert.ok((await outcomes).every(({ status }) => status === "rejected"));
    assert.deepEqual(await listedIds(store, executionId), idsIn(checkpoints));
  },
};
