import type { BatchOperation } from "../../../src/saver/codec/resolve-batch.js";
import { putOf } from "../../../test-support/put-operation.js";
import type { CallShape } from "./test-call.js";

const SMALL_BYTES = 100;
/** More than calls of a group may have. */
const LARGE_BYTES = 70_000;

/** Returns what a call of the model stores. */
export function operationOf({ threadId, kind, isLarge }: CallShape): BatchOperation {
  const bytes = isLarge ? LARGE_BYTES : SMALL_BYTES;
  switch (kind) {
    case "deleteThread":
      return { kind, threadId };
    case "putWrites":
      return {
        kind,
        writes: {
          threadId,
          checkpointNs: "",
          checkpointId: "1",
          taskId: "task",
          taskPath: "",
          writes: [{ channel: "a", idx: 0, type: "bytes", blob: new Uint8Array(bytes) }],
        },
      };
    case "put":
      return putOf(threadId, "", bytes);
  }
}
