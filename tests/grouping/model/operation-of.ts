import type { BatchOperation } from "../../../src/saver/codec/resolve-batch.js";
import type { CallShape } from "./test-call.js";

const SMALL_BYTES = 100;
/** More than calls of a group may have. */
const LARGE_BYTES = 70_000;

/** Returns what a call of the model stores. */
export function operationOf({ threadId, kind, isLarge }: CallShape): BatchOperation {
  const blob = new Uint8Array(isLarge ? LARGE_BYTES : SMALL_BYTES);
  const key = { threadId, checkpointNs: "", checkpointId: "1" };
  switch (kind) {
    case "deleteThread":
      return { kind, threadId };
    case "putWrites":
      return {
        kind,
        writes: {
          ...key,
          taskId: "task",
          taskPath: "",
          writes: [{ channel: "a", idx: 0, type: "bytes", blob }],
        },
      };
    case "put":
      return {
        kind,
        checkpoint: {
          ...key,
          parentCheckpointId: null,
          branches: false,
          checkpoint: "{}",
          metadata: "{}",
          carriedNumbers: {},
          blobs: [{ channel: "a", version: "1", type: "bytes", blob }],
          requiresParent: false,
        },
      };
  }
}
