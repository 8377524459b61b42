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

/** What `saveMany` promises. */
export const manySavesCases: readonly CheckpointCase[] = [
  {
    name: "saveMany stores new checkpoints, replaces others, and moves them",
    check: async (scene) => {
      const { store, executionId } = scene;
      const elsewhere = { execution_id: freshId("exec") };
      const [first, second, third] = sequence(scene, 3);
      assert.ok(first && second && third);
      await saveAll(store, [first, second]);
      const [replaced, moved] = [
        { ...first, state: "replaced" },
        { ...second, metadata: elsewhere },
      ];
      await store.saveMany([third, moved, replaced]);
      for (const each of [replaced, moved, third]) await assertStored(store, each);
      assert.deepEqual(await listedIds(store, executionId), idsOf([replaced, third]));
    },
  },
  {
    name: "saveMany of no checkpoints does nothing",
    check: async ({ store, executionId, checkpoint }) => {
      const saved = checkpoint();
      await store.save(saved);
      await store.saveMany([], { keepLast: 1 });
      assert.deepEqual(await store.list(executionId), [saved]);
    },
  },
  {
    name: "saveMany is refused as a whole where one of the checkpoints can't be stored",
    check: async (scene) => {
      const { store, checkpoint } = scene;
      const good = sequence(scene, 2);
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
  },
  {
    name: "saveMany refuses two checkpoints with the same id, and stores neither",
    check: async ({ store, checkpoint }) => {
      const one = checkpoint();
      await assertRefused(() => store.saveMany([one, { ...one, state: "other" }]), {
        code: "INVALID_CONFIG",
        field: "checkpoints[1].id",
      });
      await assertGone(store, one);
    },
  },
  {
    name: "saveMany with keepLast keeps the newest of each execution, once all are stored",
    check: async (scene) => {
      const { store, executionId, checkpoint } = scene;
      const other = { execution_id: freshId("exec") };
      const [first, ...rest] = sequence(scene, 4);
      assert.ok(first);
      const oldest = checkpoint({ metadata: other, timestamp: later(-60) });
      const there = [1, 2].map((n) => checkpoint({ metadata: other, timestamp: later(n) }));
      await saveAll(store, [first, ...there]);
      await store.saveMany([...rest, oldest], { keepLast: 2 });
      assert.deepEqual(await store.list(executionId), rest.slice(1));
      assert.deepEqual(await store.list(other.execution_id), [oldest, ...there]);
    },
  },
  {
    name: "optimistic: saveMany is refused as a whole by one newer checkpoint, and a repetition passes",
    options: { concurrency: "optimistic" },
    check: async (scene) => {
      const { store, executionId } = scene;
      const [first, second, third] = sequence(scene, 3).map((each, n) => ({
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
  },
  {
    name: "of concurrent calls of saveMany with the same ids, one is stored as a whole",
    check: async (scene) => {
      const { store, executionId } = scene;
      const checkpoints = sequence(scene, 8);
      const rivals = [0, 1, 2, 3].map((rival) => checkpoints.map((each) => ({ ...each, state: { rival } })));
      await Promise.all(
        rivals.map((each, n) => store.saveMany(n % 2 === 0 ? each : [...each].reverse(), { keepLast: 8 })),
      );
      const states = (await store.list(executionId)).map(({ state }) => JSON.stringify(state));
      assert.equal(states.length, 8);
      assert.equal(new Set(states).size, 1, "parts of different calls");
    },
  },
];
