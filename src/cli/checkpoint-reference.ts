import type { RunnableConfig } from "@langchain/core/runnables";
import { CheckpointError } from "../errors.js";
import type { PostgresSaver } from "../saver/postgres-saver.js";

const FROM_HEAD = /^head(?:~(\d+))?$/i;

/** What {@link resolveCheckpoint} looks for. */
export interface CheckpointReference {
  readonly thread: string;
  readonly namespace: string;
  /** An id, `head` for the newest checkpoint, `head~2` for the parent of its parent. Default: `head`. */
  readonly checkpoint?: string | undefined;
}

/** A checkpoint that is stored. */
export interface FoundCheckpoint {
  readonly id: string;
  readonly config: RunnableConfig;
  /** The names of those that had a value by then. */
  readonly channels: readonly string[];
}

/** How help says what can stand for a checkpoint. */
export const CHECKPOINT_HELP = "its id; head is the newest one, head~2 the parent of its parent";

/**
 * Finds the checkpoint that a person has named.
 *
 * @throws CheckpointError where there is none.
 */
export async function resolveCheckpoint(
  saver: PostgresSaver,
  { thread, namespace, checkpoint = "head" }: CheckpointReference,
  signal: AbortSignal,
): Promise<FoundCheckpoint> {
  const steps = FROM_HEAD.exec(checkpoint);
  const start = { thread_id: thread, checkpoint_ns: namespace };
  const read = (configurable: object) =>
    saver.getTuple({ configurable: { ...configurable } }, { values: false, signal });
  let tuple = await read(steps === null ? { ...start, checkpoint_id: checkpoint } : start);
  if (tuple === undefined) throw notFound(thread, namespace, steps === null ? checkpoint : undefined);
  for (let step = 0; step < Number(steps?.[1] ?? 0); step++) {
    const parent: RunnableConfig | undefined = tuple.parentConfig;
    tuple = parent === undefined ? undefined : await read(parent.configurable ?? {});
    if (tuple === undefined) throw notFound(thread, namespace, checkpoint);
  }
  const { id, channel_versions } = tuple.checkpoint;
  return { id, config: tuple.config, channels: Object.keys(channel_versions) };
}

/** What is said of a thread that is not there, or of a checkpoint of it. */
export function notFound(thread: string, namespace: string, checkpoint?: string): CheckpointError {
  const place = namespace === "" ? `thread "${thread}"` : `thread "${thread}", namespace "${namespace}"`;
  const what =
    checkpoint === undefined
      ? "has no checkpoints; see: threads"
      : `has no checkpoint "${checkpoint}"; see: show`;
  return new CheckpointError("CHECKPOINT_NOT_FOUND", `${place} ${what}`, {
    threadId: thread,
    checkpointNs: namespace,
    checkpointId: checkpoint,
  });
}
