import assert from "node:assert/strict";
import {
  type CheckpointCases,
  assertGone,
  assertRefused,
  assertStored,
  freshId,
  idsIn,
  later,
  listedIds,
  optimistic,
  saveAll,
} from "./checkpoint-checks.js";

/** What `saveMany` promises. */
export const manySavesCases: CheckpointCases = {
  "saveMany stores new checkpoints, replaces others, and moves them": async (scene) => {
    const { store, executionId, sequence } = scene;
    const elsewhere = { execution_id: freshId("exec") };
    const [first, second, third] = sequence(3);
    assert.ok(first && second && third);
    await saveAll(store, [first, second]);
    const [replaced, moved] = [
      { ...first, state: "replaced" },
      { ...second, metadata: elsewhere },
    ];
    await store.saveMany([third, moved, replaced]);
    for (const each of [replaced, moved, third]) await assertStored(store, each);
    assert.deepEqual(await listedIds(store, executionId), idsIn([replaced, third]));
  },

  "saveMany of no checkpoints does nothing": async ({ store, executionId, checkpoint }) => {
    const saved = checkpoint();
    await store.save(saved);
    await store.saveMany([], { keepLast: 1 });
    assert.deepEqual(await store.list(executionId), [saved]);
  },

  "saveMany is refused as a whole where one of the checkpoints can't be stored": async (scene) => {
    const { store, checkpoint, sequence } = scene;
    const good = sequence(2);
    const bad = checkpoint({ state: { tool: () => 1 } });
    await assertRefused(() => store.saveMany([...good, bad]), {
      code: "SERIALIZATION_FAILED",
      checkpointId: bad.id,
    });
    const unlisted = checkpoint({ metadata: null });
    await assertRefused(() => store.saveMany([...good, unlisted], { keepLast: 3 }), {
      code: "INVALID_CONFIG",
      field: "options.keepLast",
    });
    for (const each of [...good, unlisted]) await assertGone(store, each);
  },

  "saveMany refuses two checkpoints with the same id, and stores neither": async ({ store, checkpoint }) => {
    const one = checkpoint();
    await assertRefused(() => store.saveMany([one, { ...one, state: "other" }]), {
      code: "INVALID_CONFIG",
      field: "checkpoints[1].id",
    });
    await assertGone(store, one);
  },

  "saveMany with keepLast keeps the newest of each execution, once all are stored": async (scene) => {
    const { store, executionId, checkpoint, sequence } = scene;
    const other = { execution_id: freshId("exec") };
    const [first, ...rest] = sequence(4);
    assert.ok(first);
    const oldest = checkpoint({ metadata: other, timestamp: later(-60) });
    const there = [1, 2].map((n) => checkpoint({ metadata: other, timestamp: later(n) }));
    await saveAll(store, [first, ...there]);
    await store.saveMany([...rest, oldest], { keepLast: 2 });
    assert.deepEqual(await store.list(executionId), rest.slice(1));
    assert.deepEqual(await store.list(other.execution_id), [oldest, ...there]);
  },

  ...optimistic({
    "saveMany is refused as a whole by one newer checkpoint, and a repetition passes": async (scene) => {
      const { store, executionId, sequence } = scene;
      const [first, second, third] = sequence(3).map((each, n) => ({
        ...each,
        id: `${executionId} ${n}`,
      }));
      assert.ok(first && second && third);
      const stored = { ...third, version: 10 };
      await saveAll(store, [first, stored]);
      const refused = [{ ...first, version: 2 }, second, { ...third, version: 9 }];
      await assertRefused(() => store.saveMany(refused, { keepLast: 1 }), {
        name: "CheckpointVersionError",
        code: "CHECKPOINT_VERSION",
        checkpointId: third.id,
        version: 9,
        storedVersion: 10,
      });
      assert.deepEqual(await store.list(executionId), [first, stored]);
      await assertGone(store, second);
      await store.saveMany([first, stored, second]);
      assert.deepEqual(await store.list(executionId), [first, second, stored]);
    },
  }),

  "of concurrent calls of saveMany with the same ids, one is stored as a whole": async (scene) => {
    const { store, executionId, sequence } = scene;
    const checkpoints = sequence(8);
    const rivals = [0, 1, 2, 3].map((rival) => checkpoints.map((each) => ({ ...each, state: { rival } })));
    await Promise.all(
      rivals.map((each, n) => store.saveMany(n % 2 === 0 ? each : [...each].reverse(), { keepLast: 8 })),
    );
    const states = (await store.list(executionId)).map(({ state }) => JSON.stringify(state));
    assert.equal(states.length, 8);
    assert.equal(new Set(states).size, 1, "parts of different calls");
  },
};
