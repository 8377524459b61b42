import { randomUUID } from "node:crypto";
import { expect, it } from "@jest/globals";
import {
  BackendCheckpointStore,
  createCheckpoint,
  type ExecutionCheckpoint,
} from "../../src/checkpoint-store/index.js";
import { CheckpointTooLargeError } from "../../src/errors/index.js";
import { MemoryBackend } from "../../src/checkpoint-store/memory-checkpoint-store.js";
import { describeEachBackend } from "./backends.js";

describeEachBackend("the bound of a checkpoint", (suite) => {
  it("counts the bytes of state and metadata as they are stored, and refuses one too many before it is sent", async () => {
    const plain = await suite.open();
    const stored = createCheckpoint({ executionId: randomUUID(), nodeName: "n", state: 1 });
    const large: ExecutionCheckpoint = { ...stored, state: "é".repeat(100), metadata: { a: "é" } };
    // The quotes, braces and colon count, and an é has two bytes.
    const bytes = 202 + 10;
    await plain.save(stored);
    const bounded = (maxCheckpointBytes: number) =>
      new BackendCheckpointStore(plain.backend, { maxCheckpointBytes });
    const refused = bounded(bytes - 1).save(large);
    await expect(refused).rejects.toBeInstanceOf(CheckpointTooLargeError);
    await expect(refused).rejects.toMatchObject({ bytes, maxBytes: bytes - 1, checkpointId: stored.id });
    expect(await plain.load(stored.id)).toStrictEqual(stored);
    await bounded(bytes).save(large);
    expect(await bounded(1).load(stored.id)).toStrictEqual(large);
  });
});

class SmallBackend extends MemoryBackend {
  override readonly maxTextBytes = 100;
}

it.each([
  ["state", { state: "x".repeat(99) }],
  ["metadata", { metadata: { a: "x".repeat(93) } }],
])("a %s that the database can't hold is refused, whatever the bound of the store is", async (_, fields) => {
  const store = new BackendCheckpointStore(new SmallBackend(), { maxCheckpointBytes: 1_000 });
  const checkpoint = { ...createCheckpoint({ executionId: "e", nodeName: "n", state: 1 }), ...fields };
  await expect(store.save(checkpoint)).rejects.toMatchObject({
    name: "CheckpointTooLargeError",
    maxBytes: 100,
    checkpointId: checkpoint.id,
  });
  expect(await store.backend.count({})).toBe(0);
});

it("state and metadata may each be as long as the database can hold", async () => {
  const store = new BackendCheckpointStore(new SmallBackend());
  const metadata = { a: "x".repeat(92) };
  const checkpoint = {
    ...createCheckpoint({ executionId: "e", nodeName: "n", state: "x".repeat(98) }),
    metadata,
  };
  await store.save(checkpoint);
  expect(await store.load(checkpoint.id)).toStrictEqual(checkpoint);
});
