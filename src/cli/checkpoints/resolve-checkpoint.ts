import type { RunnableConfig } from "@langchain/core/runnables";
import { CheckpointError } from "../../errors/index.js";
import type { CommandContext } from "../command-definition.js";

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
  { saver, tables, signal }: Pick<CommandContext, "saver" | "tables" | "signal">,
  { thread, namespace, checkpoint = "head" }: CheckpointReference,
): Promise<FoundCheckpoint> {
  const fromHead = FROM_HEAD.exec(checkpoint);
  const read = async (id: string | undefined): Promise<FoundCheckpoint> => {
    const configurable = { thread_id: thread, checkpoint_ns: namespace, checkpoint_id: id };
    const tuple = await saver.getTuple({ configurable }, { values: false, signal });
    if (tuple === undefined) throw notFound(thread, namespace, id);
    const { id: foundId, channel_versions } = tuple.checkpoint;
    return { id: foundId, config: tuple.config, channels: Object.keys(channel_versions) };
  };
  if (fromHead === null) return read(checkpoint);
  const head = await read(undefined);
  const steps = Number(fromHead[1] ?? 0);
  if (steps === 0) return head;
  const key = { threadId: thread, checkpointNs: namespace, checkpointId: head.id };
  const { getAncestor } = await import("../../audit/queries/get-ancestor.js");
  const ancestor = await getAncestor(tables, key, steps);
  if (ancestor === undefined) throw notFound(thread, namespace, checkpoint);
  return read(ancestor);
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
