import { readableOrUndefined } from "../../saver/codec/decode-value.js";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { CallContext } from "../../db/call-context.js";
import { CheckpointError } from "../../errors/index.js";
import type { NamespaceKey } from "../../saver/model/keys.js";
import type { CommandContext } from "../command-definition.js";
import { countOf } from "../output/format-numbers.js";

const FROM_HEAD = /^head(?:~(\d+))?$/i;

/** A checkpoint as a user names it. */
interface CheckpointReference {
  readonly thread: string;
  readonly namespace: string;
  /** An id, `head` for the newest checkpoint, or `head~2` for the parent of its parent. Default: `head`. */
  readonly checkpoint?: string | undefined;
}

/** A stored checkpoint. */
interface ResolvedCheckpoint {
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
  const key = { threadId: thread, checkpointNs: namespace };
  const id = await idOf(tables, key, checkpoint);
  const configurable = { thread_id: thread, checkpoint_ns: namespace, checkpoint_id: id };
  const tuple = await saver.getTuple({ configurable }, { values: false, signal });
  if (tuple === undefined) throw checkpointNotFound(thread, namespace, id);
  return { id, config: tuple.config, channels: Object.keys(tuple.checkpoint.channel_versions) };
}

/** Finds a checkpoint as {@link resolveCheckpoint} does. Returns `undefined` where it can't be read. */
export function resolveReadable(
  context: Pick<CommandContext, "saver" | "tables" | "signal">,
  reference: CheckpointReference,
): Promise<ResolvedCheckpoint | undefined> {
  return readableOrUndefined(() => resolveCheckpoint(context, reference));
}

/** The ids of those checkpoints that were found. */
export function foundIds(...found: readonly (ResolvedCheckpoint | undefined)[]): string[] {
  return found.flatMap((checkpoint) => checkpoint?.id ?? []);
}

/**
 * The id of the checkpoint that a user named. It follows the parents from the newest one, whether or not those in between can be read. An
 * id need not be stored.
 *
 * @throws CheckpointError where the namespace has no checkpoint that far from its head.
 */
export async function idOf(tables: CallContext, key: NamespaceKey, checkpoint: string): Promise<string> {
  const fromHead = FROM_HEAD.exec(checkpoint);
  if (fromHead === null) return checkpoint;
  const { getAncestor } = await import("../../audit/queries/get-lineage.js");
  const id = await getAncestor(tables, key, Number(fromHead[1] ?? 0));
  if (id !== undefined) return id;
  const isEmpty = (await getAncestor(tables, key, 0)) === undefined;
  throw checkpointNotFound(key.threadId, key.checkpointNs, isEmpty ? undefined : checkpoint);
}

/** Returns the error for a thread without checkpoints, or for a checkpoint that is not stored. */
export function checkpointNotFound(thread: string, namespace: string, checkpoint?: string): CheckpointError {
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

/** The rows from which the graph rebuilds the value of a delta channel. */
export interface UnstoredValue {
  readonly channel: string;
  /** The number of writes since the last stored value, or since the thread started. */
  readonly writes: number;
  /** Whether there is a stored value before those writes. */
  readonly hasBase: boolean;
}

/** Counts the writes of delta channels. Their values can't be computed here: only the graph has the reducers. */
export async function getUnstoredValues(
  { saver, signal }: Pick<CommandContext, "saver" | "signal">,
  config: RunnableConfig,
  channels: readonly string[],
): Promise<UnstoredValue[]> {
  if (channels.length === 0) return [];
  const histories = await saver.getDeltaChannelHistory({ config, channels: [...channels], signal });
  return channels.map((channel) => {
    const { writes = [], seed } = histories[channel] ?? {};
    return { channel, writes: writes.length, hasBase: seed !== undefined };
  });
}

/** Describes an unstored value for people: `an earlier value and 2 writes`. */
export function describeUnstored({ writes, hasBase }: UnstoredValue): string {
  return hasBase
    ? `an earlier value and ${countOf(writes, "write")}`
    : `${countOf(writes, "write")} since the thread started`;
}
