import type { RunnableConfig } from "@langchain/core/runnables";
import { CheckpointError } from "../../errors/index.js";
import type { CommandContext } from "../command-definition.js";

const FROM_HEAD = /^head(?:~(\d+))?$/i;

/** A checkpoint as a user names it. */
export interface CheckpointReference {
  readonly thread: string;
  readonly namespace: string;
  /** An id, `head` for the newest checkpoint, or `head~2` for the parent of its parent. Default: `head`. */
  readonly checkpoint?: string | undefined;
}

/** A stored checkpoint. */
export interface ResolvedCheckpoint {
  readonly id: string;
  readonly config: RunnableConfig;
  /** The channels that have a version in this checkpoint. */
  readonly channels: readonly string[];
}

/**
 * Finds the checkpoint that a user named.
 *
 * @throws CheckpointError if it is not stored.
 */
export async function resolveCheckpoint(
  { saver, tables, signal }: Pick<CommandContext, "saver" | "tables" | "signal">,
  { thread, namespace, checkpoint = "head" }: CheckpointReference,
): Promise<ResolvedCheckpoint> {
  const fromHead = FROM_HEAD.exec(checkpoint);
  const read = async (id: string | undefined): Promise<ResolvedCheckpoint> => {
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

/** Returns the error for a thread without checkpoints, or for a checkpoint that is not stored. */
export function notFound(thread: string, namespace: string, checkpoint?: string): CheckpointError {
  const place = namespace === "" ? `thread "${thread}"` : `thread "${thread}", namespace "${namespace}"`;
  const problem =
    checkpoint === undefined
      ? "has no checkpoints; `threads` lists the threads"
      : `has no checkpoint "${checkpoint}"; \`show\` lists its checkpoints`;
  return new CheckpointError("CHECKPOINT_NOT_FOUND", `${place} ${problem}`, {
    threadId: thread,
    checkpointNs: namespace,
    checkpointId: checkpoint,
  });
}

/** The checkpoint id of a config, if it has one. */
export function checkpointIdOf(config: RunnableConfig | undefined): string | undefined {
  const id: unknown = config?.configurable?.checkpoint_id;
  return typeof id === "string" ? id : undefined;
}
