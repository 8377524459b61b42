import { describe, expect, it } from "@jest/globals";
import { ThreadDeletedError } from "../../errors/index.js";
import { refuseDeleted, writtenThreads } from "./refuse-writes.js";
import type { BatchOperation } from "./resolve-batch.js";

function putTo(threadId: string): BatchOperation {
  return {
    kind: "put",
    checkpoint: {
      threadId,
      checkpointNs: "",
      checkpointId: "1",
      parentCheckpointId: null,
      branches: false,
      requiresParent: false,
      checkpoint: "{}",
      metadata: "{}",
      carriedInline: {},
      versions: {},
      referencedVersions: {},
      blobs: [],
    },
  };
}

function writeTo(threadId: string): BatchOperation {
  return {
    kind: "putWrites",
    writes: { threadId, checkpointNs: "", checkpointId: "1", taskId: "task", taskPath: "", writes: [] },
  };
}

function deletionOf(threadId: string): BatchOperation {
  return { kind: "deleteThread", threadId };
}

const MS = 1_750_000_000_123;

/** The error of operations in a database that knows `deleted` to be deleted. */
function errorOf(operations: readonly BatchOperation[], ...deleted: string[]): unknown {
  try {
    refuseDeleted(
      operations,
      deleted.map((thread_id) => ({ thread_id, deleted_at_ms: String(MS) })),
    );
    return undefined;
  } catch (error) {
    return error;
  }
}

describe("writes to threads with a tombstone", () => {
  it.each([
    ["put", putTo],
    ["putWrites", writeTo],
  ])("are refused: %s", (_what, write) => {
    const error = errorOf([write("alive"), write("dead")], "dead");
    expect(error).toBeInstanceOf(ThreadDeletedError);
    expect(error).toMatchObject({
      code: "THREAD_DELETED",
      threadId: "dead",
      deletedAt: new Date(MS),
      message: `thread "dead" was deleted at ${new Date(MS).toISOString()}`,
    });
    expect(errorOf([write("alive")], "dead")).toBeUndefined();
  });

  it("are refused after a deletion in the same batch, and not before it", () => {
    expect(errorOf([deletionOf("t"), putTo("t")])).toBeInstanceOf(ThreadDeletedError);
    expect(errorOf([deletionOf("t"), writeTo("t")])).toBeInstanceOf(ThreadDeletedError);
    expect(errorOf([putTo("t"), writeTo("t"), deletionOf("t")])).toBeUndefined();
    expect(errorOf([deletionOf("t"), putTo("t2")])).toBeUndefined();
  });

  it("report the first deletion of a thread that is deleted again", () => {
    expect(errorOf([deletionOf("t"), putTo("t")], "t")).toMatchObject({ deletedAt: new Date(MS) });
    expect(errorOf([deletionOf("t"), deletionOf("t")], "t")).toBeUndefined();
  });

  it("need the tombstones of their own threads only", () => {
    expect(writtenThreads([putTo("a"), deletionOf("b"), writeTo("c")])).toEqual(["a", "c"]);
  });
});
