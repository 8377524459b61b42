import { expect, test } from "@jest/globals";
import type { EncodedCheckpoint } from "../queries/checkpoint-rows.js";
import { type BatchOperation, resolveBatch } from "./resolve-batch.js";

function put(checkpointId: string, more: Partial<EncodedCheckpoint> = {}): BatchOperation {
  const key = { threadId: "t", checkpointNs: "", checkpointId };
  const header = {
    parentCheckpointId: null,
    branches: false,
    requiresParent: false,
    checkpoint: "{}",
    metadata: "{}",
    carriedInline: {},
    versions: {},
    referencedVersions: {},
    blobs: [],
  };
  return { kind: "put", checkpoint: { ...key, ...header, ...more } };
}

function write(taskId: string, idx: number, channel = "a"): BatchOperation {
  const owner = { threadId: "t", checkpointNs: "", checkpointId: "1", taskId, taskPath: "" };
  const blob = new Uint8Array();
  return { kind: "putWrites", writes: { ...owner, writes: [{ idx, channel, type: "bytes", blob }] } };
}

const sourcesOf = (operations: BatchOperation[]) =>
  resolveBatch(operations).checkpoints.map(({ inlineSources }): unknown => JSON.parse(inlineSources));

test("an unchanged number is copied from the nearest ancestor that the batch does not store itself", () => {
  const carriedInline = { n: 3 };
  const chain = [
    put("2", { parentCheckpointId: "1", carriedInline }),
    put("3", { parentCheckpointId: "2", carriedInline }),
    put("4", { parentCheckpointId: "3", carriedInline }),
  ];
  expect(sourcesOf(chain)).toEqual([{ n: "1" }, { n: "1" }, { n: "1" }]);
});

test("an unchanged number is not copied from beyond an ancestor with another number", () => {
  for (const between of [{ n: 4 }, {}]) {
    const chain = [
      put("2", { parentCheckpointId: "1", carriedInline: between }),
      put("3", { parentCheckpointId: "2", carriedInline: { n: 3 } }),
    ];
    expect(sourcesOf(chain)[1]).toEqual({});
  }
});

test("rows are sorted, whatever the order of the calls", () => {
  const calls = [put("1"), put("2"), write("x", 0), write("y", 0), write("y", 1)];
  expect(resolveBatch(calls.toReversed())).toEqual(resolveBatch(calls));
});

test("what a thread gets before its deletion is not stored, and what it gets afterwards is", () => {
  const deletion: BatchOperation = { kind: "deleteThread", threadId: "t" };
  const { deletedThreads, checkpoints, writes } = resolveBatch([
    put("1"),
    write("x", 0),
    deletion,
    put("2"),
    deletion,
    put("3"),
  ]);
  expect(deletedThreads).toEqual(["t"]);
  expect(checkpoints.map(({ checkpointId }) => checkpointId)).toEqual(["3"]);
  expect(writes).toEqual([]);
});
