import { afterEach, describe, expect, it } from "@jest/globals";
import {
  CheckpointNotFoundError,
  CheckpointTooLargeError,
  CheckpointVersionError,
  InvalidConfigError,
  SerializationError,
} from "../../src/errors/index.js";
import { createCheckpoint, MemoryCheckpointStore } from "../../src/checkpoint-store/index.js";

describe("MemoryCheckpointStore", () => {
  const store = new MemoryCheckpointStore();
  afterEach(() => store.end());

  it("returns what was saved, sharing nothing with it", async () => {
    const state = { pages: [1n, new Date(0), new Map([["a", new Uint8Array([1])]])] };
    const checkpoint = createCheckpoint({ executionId: "e", nodeName: "n", state, threadId: "t" });
    const saving = store.save(checkpoint);
    state.pages.push(2n);
    await saving;
    state.pages.pop();
    const loaded = await store.load(checkpoint.id);
    expect(loaded).toEqual(checkpoint);
    expect(loaded.state).not.toBe(state);
    expect(await store.latest({ threadId: "t" })).toEqual(checkpoint);
  });

  it("refuses what it can't store, and names it", async () => {
    const checkpoint = createCheckpoint({ executionId: "e", nodeName: "n", state: { run: () => 1 } });
    await expect(store.save(checkpoint)).rejects.toThrow(SerializationError);
    await expect(store.save({ ...checkpoint, id: "" })).rejects.toThrow(InvalidConfigError);
    await expect(store.load("none")).rejects.toThrow(new CheckpointNotFoundError({ checkpointId: "none" }));
    const small = new MemoryCheckpointStore({ maxCheckpointBytes: 10 });
    await expect(small.save({ ...checkpoint, state: "longer than ten" })).rejects.toThrow(
      CheckpointTooLargeError,
    );
    const strict = new MemoryCheckpointStore({ concurrency: "optimistic" });
    const first = { ...checkpoint, state: 1, version: 2 };
    await strict.save(first);
    await strict.save(first);
    await expect(strict.save({ ...first, state: 2 })).rejects.toThrow(CheckpointVersionError);
    await strict.save({ ...first, state: 2, version: 3 });
  });

  it("keeps the newest", async () => {
    for (let n = 1; n < 6; n += 1) {
      const timestamp = new Date(n);
      await store.save(createCheckpoint({ executionId: "e", nodeName: `${n}`, state: n, timestamp }), {
        keepLast: 3,
      });
    }
    expect((await store.list("e")).map(({ state }) => state)).toEqual([3, 4, 5]);
    expect((await store.list("e", { limit: 2, order: "desc" })).map(({ state }) => state)).toEqual([5, 4]);
    expect(await store.clear("e")).toBe(3);
    expect(await store.list("e")).toEqual([]);
  });
});
