import type { BatchOperation } from "../src/saver/codec/resolve-batch.js";

/** A put, as it is queued to be stored: one checkpoint with a value of this length. */
export function putOf(threadId: string, checkpointNs = "", bytes = 10): BatchOperation {
  return {
    kind: "put",
    checkpoint: {
      threadId,
      checkpointNs,
      checkpointId: "1",
      parentCheckpointId: null,
      branches: false,
      checkpoint: "{}",
      metadata: "{}",
      carriedInline: {},
      versions: {},
      referencedVersions: {},
      blobs: [{ channel: "a", version: "1", type: "bytes", blob: new Uint8Array(bytes) }],
      requiresParent: false,
    },
  };
}
