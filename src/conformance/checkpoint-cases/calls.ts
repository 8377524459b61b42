import assert from "node:assert/strict";
import type { CheckpointStore } from "../../checkpoint-store/checkpoint-store.js";
import {
  type CheckpointCases,
  type CheckpointScene,
  assertGone,
  assertRefused,
  assertStored,
  saveAll,
} from "./checkpoint-checks.js";
import { casesOf } from "../suite-case.js";

interface Options {
  readonly signal: AbortSignal;
}

/** Every call that takes a signal. */
const CALLS: Readonly<
  Record<string, (scene: CheckpointScene, id: string, options: Options) => Promise<unknown>>
> = {
  setup: ({ store }, _, options) => store.setup(options),
  save: ({ store, checkpoint }, id, options) => store.save(checkpoint({ id, state: "new" }), options),
  saveMany: ({ store, checkpoint }, id, options) =>
    store.saveMany([checkpoint({ id, state: "new" })], options),
  load: ({ store }, id, options) => store.load(id, options),
  list: ({ store, executionId }, _, options) => store.list(executionId, options),
  latest: ({ store, threadId }, _, options) => store.latest({ threadId }, options),
  delete: ({ store }, id, options) => store.delete(id, options),
  clear: ({ store, executionId }, _, options) => store.clear(executionId, options),
  verify: ({ store }, _, options) => store.verify(options),
};

/** What a store promises about its calls as such: signals, `setup` and `end`. */
export const callCases: CheckpointCases = {
  ...casesOf(
    "a call whose signal has been aborted is refused by AbortError, and does nothing",
    CALLS,
    async (call, scene: CheckpointScene) => {
      const [saved, cause] = [scene.checkpoint(), new Error("no longer needed")];
      await scene.store.save(saved);
      await assertRefused(() => call(scene, saved.id, { signal: AbortSignal.abort(cause) }), {
        name: "AbortError",
        code: "ABORTED",
        cause,
      });
      await assertStored(scene.store, saved);
    },
  ),

  ...casesOf(
    "a call whose signal is not aborted is carried out",
    CALLS,
    async (call, scene: CheckpointScene) => {
      const saved = scene.checkpoint();
      await scene.store.save(saved);
      await call(scene, saved.id, { signal: new AbortController().signal });
    },
  ),

  "a save that is aborted while it runs is stored whole or not at all": async ({ store, sequence }) => {
    const abort = new AbortController();
    const checkpoints = sequence(20);
    const saves = Promise.allSettled(checkpoints.map((each) => store.save(each, { signal: abort.signal })));
    abort.abort();
    const outcomes = await saves;
    for (const [n, each] of checkpoints.entries()) {
      const outcome = outcomes[n];
      if (outcome?.status === "rejected")
        await assertRefused(() => Promise.reject(asError(outcome.reason)), { code: "ABORTED" });
      else await assertStored(store, each);
      await assertWholeOrGone(store, each);
    }
  },

  "setup may be called again, also at once, and keeps what is stored": async ({ store, sequence }) => {
    const checkpoints = sequence(2);
    await saveAll(store, checkpoints);
    await Promise.all([store.setup(), store.setup(), store.setup()]);
    for (const each of checkpoints) await assertStored(store, each);
  },

  "verify reads every checkpoint, and reports none that can be read": async ({ store, sequence }) => {
    const checkpoints = sequence(3);
    await saveAll(store, checkpoints);
    const { checkpoints: count, problems } = await store.verify();
    assert.ok(count >= 3, `it has read ${count} of 3 checkpoints or more`);
    for (const { id } of checkpoints) {
      assert.deepEqual(
        problems.filter(({ checkpointId }) => checkpointId === id),
        [],
      );
    }
  },

  "health is ok where checkpoints can be stored, and not ok by a signal that has been aborted": async (
    scene,
  ) => {
    const { store } = scene;
    const { ok, error } = await store.health();
    assert.deepEqual({ ok, error }, { ok: true, error: undefined });
    const aborted = await store.health({ signal: AbortSignal.abort() });
    assert.deepEqual([aborted.ok, aborted.error?.code], [false, "ABORTED"]);
  },

  "end may be called more than once": async ({ store, checkpoint }) => {
    await store.save(checkpoint());
    await Promise.all([store.end(), store.end()]);
    await store.end();
    await store[Symbol.asyncDispose]();
  },
};

async function assertWholeOrGone(
  store: CheckpointStore,
  checkpoint: Parameters<CheckpointStore["save"]>[0],
): Promise<void> {
  const isStored = await store.load(checkpoint.id).then(
    () => true,
    () => false,
  );
  await (isStored ? assertStored(store, checkpoint) : assertGone(store, checkpoint));
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
