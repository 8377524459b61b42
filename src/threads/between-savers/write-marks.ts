import { createHash, randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { CheckpointPendingWrite, PendingWrite } from "@langchain/langgraph-checkpoint";
import { SerializationError } from "../../errors/index.js";
import { encodeWrites } from "../../saver/codec/encode-call.js";
import type { CheckpointKey } from "../../saver/model/keys.js";
import { MsgpackSerializer } from "../../serde/msgpack/msgpack-serializer.js";
import { byTask } from "./copy-writes.js";

/** Stands for the writes of a task, so that no value stays in memory: two equal marks are equal writes. */
export interface TaskMarks {
  readonly taskId: string;
  readonly special: readonly string[];
  readonly regular: readonly string[];
}

const SERDE = new MsgpackSerializer();

/** Makes the marks of the writes of a checkpoint, in the order of the tasks. */
export function marksOf(
  key: CheckpointKey,
  writes: readonly CheckpointPendingWrite[],
): Promise<readonly TaskMarks[]> {
  return Promise.all(
    byTask(writes).map(async ({ taskId, special, regular }) => ({
      taskId,
      special: await markEach(key, taskId, special),
      regular: await markEach(key, taskId, regular),
    })),
  );
}

async function markEach(
  key: CheckpointKey,
  taskId: string,
  writes: readonly PendingWrite[],
): Promise<readonly string[]> {
  try {
    const encoded = await encodeWrites({ ...key, taskId, taskPath: "", writes }, SERDE);
    return encoded.writes.map(({ channel, type, blob }) =>
      JSON.stringify([channel, type, createHash("sha256").update(blob).digest("base64")]),
    );
  } catch (error) {
    if (!(error instanceof SerializationError)) throw error;
    // Equal to nothing, so the target decides whether it can store the value.
    return [randomUUID()];
  }
}

/** What is compared of a checkpoint that the target has. */
interface ComparedWrites {
  readonly source: readonly TaskMarks[];
  readonly stored: readonly TaskMarks[];
  /** Whether the target has gone on from the checkpoint by itself. Then its writes stay where tasks have other results there. */
  readonly isContinued: boolean;
  /** Whether the target orders the writes as the source does, once they are stored again. */
  readonly keepsOrder: boolean;
}

/**
 * Decides which tasks of a checkpoint are copied again.
 *
 * @returns The tasks that are not; `undefined` where nothing is copied.
 */
export function tasksToLeave({
  source,
  stored,
  isContinued,
  keepsOrder,
}: ComparedWrites): ReadonlySet<string> | undefined {
  const there = new Map(stored.map((task) => [task.taskId, task]));
  const isOther = isContinued && source.some((task) => hasOthers(there.get(task.taskId), task));
  const left = source.filter((task) =>
    keepsOrder ? isOther && there.has(task.taskId) : isDeepStrictEqual(there.get(task.taskId), task),
  );
  const leftIds = new Set(left.map(({ taskId }) => taskId));
  const copied = source.filter(({ taskId }) => !leftIds.has(taskId));
  const copiedIds = new Set(copied.map(({ taskId }) => taskId));
  const isStored = isDeepStrictEqual(
    copied,
    stored.filter(({ taskId }) => copiedIds.has(taskId)),
  );
  return isStored ? undefined : leftIds;
}

/** Whether a task has results in the target that it has not in the source. */
function hasOthers(stored: TaskMarks | undefined, { regular }: TaskMarks): boolean {
  const rest = [...regular];
  return (stored?.regular ?? []).some((mark) => {
    const at = rest.indexOf(mark);
    if (at !== -1) rest.splice(at, 1);
    return at === -1;
  });
}
