import assert from "node:assert/strict";
import {
  type CheckpointCases,
  type CheckpointScene,
  assertGone,
  assertRefused,
  assertStored,
  freshId,
  later,
  listedIds,
  saveAll,
} from "./checkpoint-checks.js";
import { casesOf } from "../suite-case.js";

/** Ends of ids of which every two are different, in ways that a database may not see. */
export const DISTINCT_ENDS = [
  ...[
    "a",
    "A",
    "a ",
    "a%",
    "a_",
    "a\\",
    "a:b",
    "a:checkpoints",
    "a.b",
    "a/b",
    "..",
    "a*",
    "[a]",
    "a?",
    "{a}",
  ],
  ...["é", "e\u0301", "😀", "'", '"', "'; drop table checkpoints; --", "$1", "line\n", "line", "toString"],
];

const TIMES: Readonly<Record<string, string>> = {
  "with milliseconds": "2026-11-22T14:05:06.007Z",
  "of a whole second": "2026-11-22T14:05:06.000Z",
  "before 1970": "1969-12-31T23:59:59.999Z",
  "in the year 1": "0001-01-01T00:00:00.000Z",
  "in the year 99": "0099-03-01T00:00:00.001Z",
  "at the end of the year 9999": "9999-12-31T23:59:59.999Z",
  "in an hour that a change of clocks repeats": "2026-10-25T01:30:00.000Z",
};

/** What `save` and `load` promise. */
export const saveCases: CheckpointCases = {
  "a saved checkpoint is loaded with all of its fields": async (scene) => {
    const { store, executionId, threadId, checkpoint } = scene;
    const saved = checkpoint({
      nodeName: "step:[a b]",
      state: { pages: 3, list: [1, "two", null] },
      metadata: { execution_id: executionId, thread_id: threadId, event: "step", nested: { n: [1] } },
      version: 7,
    });
    await store.save(saved);
    await assertStored(store, saved);
  },

  "a checkpoint that does not exist is refused by CheckpointNotFoundError, which names its id": async (
    scene,
  ) => {
    const { store } = scene;
    const id = freshId("none");
    await assertRefused(() => store.load(id), {
      name: "CheckpointNotFoundError",
      code: "CHECKPOINT_NOT_FOUND",
      checkpointId: id,
      message: `checkpoint not found: ${id}`,
    });
  },

  "a save replaces all fields of the checkpoint with its id": async ({ store, executionId, checkpoint }) => {
    const first = checkpoint({ nodeName: "a", state: { old: true }, version: 5 });
    const second = { ...first, nodeName: "b", state: [2], timestamp: later(-60), version: 2 };
    const third = { ...first, state: null, metadata: { execution_id: executionId, more: 1 }, version: 9 };
    await saveAll(store, [first, second]);
    await assertStored(store, second);
    await store.save(third);
    await assertStored(store, third);
  },

  "a save of an equal checkpoint changes nothing": async ({ store, executionId, checkpoint }) => {
    const saved = checkpoint();
    await saveAll(store, [saved, saved, { ...saved }]);
    await assertStored(store, saved);
    assert.equal(await store.clear(executionId), 1);
  },

  "a save moves a checkpoint to another execution and another thread": async (scene) => {
    const { store, executionId, threadId, checkpoint } = scene;
    const [before, other] = [checkpoint(), checkpoint()];
    const metadata = { execution_id: freshId("exec"), thread_id: freshId("thread") };
    const after = { ...before, metadata };
    await saveAll(store, [before, other, after]);
    await assertStored(store, after);
    assert.deepEqual(await listedIds(store, executionId), [other.id]);
    assert.deepEqual(await listedIds(store, { threadId }), [other.id]);
    await store.save(before);
    await assertStored(store, before);
    assert.deepEqual(await store.list(metadata.execution_id), []);
    assert.deepEqual(await store.list({ threadId: metadata.thread_id }), []);
  },

  "a save moves a checkpoint out of a thread, and out of all lists": async (scene) => {
    const { store, executionId, threadId, checkpoint } = scene;
    const first = checkpoint();
    const second = { ...first, metadata: { execution_id: executionId } };
    const third = { ...first, metadata: null };
    await saveAll(store, [first, second]);
    await assertStored(store, second);
    assert.deepEqual(await store.list({ threadId }), []);
    await store.save(third);
    assert.deepEqual(await store.load(first.id), third);
    assert.deepEqual(await store.list(executionId), []);
    await store.save(first);
    await assertStored(store, first);
  },

  "ids that differ in any character are different checkpoints": async (scene) => {
    const { store, executionId, checkpoint } = scene;
    const prefix = freshId("id");
    const checkpoints = DISTINCT_ENDS.map((end) => checkpoint({ id: `${prefix}${end}`, state: { end } }));
    await saveAll(store, checkpoints);
    for (const each of checkpoints) assert.deepEqual(await store.load(each.id), each);
    assert.equal((await store.list(executionId)).length, checkpoints.length);
    const [deleted, ...others] = checkpoints;
    assert.ok(deleted);
    assert.equal(await store.delete(deleted.id), true);
    await assertGone(store, deleted);
    for (const each of others) assert.deepEqual(await store.load(each.id), each);
  },

  "ids of 2,000 bytes are stored, and longer ones refused": async ({ store, checkpoint }) => {
    const long = (kind: string) => freshId(kind).padEnd(2_000, "x");
    const metadata = { execution_id: long("exec"), thread_id: long("thread") };
    const saved = checkpoint({ id: long("id"), metadata });
    await store.save(saved);
    await assertStored(store, saved);
    const refused = { ...saved, id: `${saved.id}x` };
    await assertRefused(() => store.save(refused), { code: "INVALID_CONFIG", field: "checkpoint.id" });
  },

  ...casesOf("a time is read back with its milliseconds", TIMES, async (time, scene: CheckpointScene) => {
    const { store, checkpoint } = scene;
    const saved = checkpoint({ timestamp: new Date(time) });
    await store.save(saved);
    await assertStored(store, saved);
    assert.equal((await store.load(saved.id)).timestamp.toISOString(), time);
  }),

  "the smallest and the largest version are read back": async ({ store, checkpoint }) => {
    const checkpoints = [0, 1, 2 ** 31 - 1].map((version) => checkpoint({ version }));
    await saveAll(store, checkpoints);
    for (const each of checkpoints) await assertStored(store, each);
  },

  "a name of a node may be empty, long, or of any language": async ({ store, checkpoint }) => {
    const names = ["", " ", "é日本語😀", "a\n\t'\"\\", "long ".repeat(2_000)];
    const checkpoints = names.map((nodeName) => checkpoint({ nodeName }));
    await saveAll(store, checkpoints);
    for (const each of checkpoints) await assertStored(store, each);
  },

  "metadata may be null or missing, which is the same, or empty": async ({ store, checkpoint }) => {
    const [none, empty] = [checkpoint({ metadata: null }), checkpoint({ metadata: {} })];
    const { id, nodeName, state, timestamp, version } = checkpoint();
    const missing = { id, nodeName, state, timestamp, version };
    await saveAll(store, [none, empty, missing as typeof none]);
    assert.deepEqual(await store.load(none.id), none);
    assert.deepEqual(await store.load(empty.id), empty);
    assert.deepEqual(await store.load(missing.id), { ...missing, metadata: null });
  },

  "a state of 1 MB is read back equal, from a list too": async ({ store, executionId, checkpoint }) => {
    const state = {
      text: "a long text, é, ".repeat(32_768),
      parts: Array.from({ length: 8_192 }, (_, n) => ({ n, name: `part ${n}`, of: [n, null, true] })),
    };
    const saved = checkpoint({ state });
    await store.save(saved);
    await assertStored(store, saved);
    assert.deepEqual(await store.latest(executionId), saved);
  },
};
