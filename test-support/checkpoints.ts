import {
  type BaseCheckpointSaver,
  type Checkpoint,
  type CheckpointMetadata,
  type CheckpointTuple,
  uuid6,
} from "@langchain/langgraph-checkpoint";
import type { RunnableConfig } from "@langchain/core/runnables";

let clock = 0;

/** Returns a checkpoint id that is larger than all earlier ones. */
export function nextId(): string {
  return uuid6(clock++ % 16_384);
}

/** Creates a checkpoint of format version 4 with these values, all at new versions after those of `previous`. */
export function checkpointOf(
  saver: BaseCheckpointSaver,
  channel_values: Record<string, unknown>,
  previous?: Checkpoint,
): Checkpoint {
  const versions = Object.keys(channel_values).map((channel) => {
    const current = previous?.channel_versions[channel];
    return [channel, saver.getNextVersion(current as number | undefined)] as const;
  });
  return {
    v: 4,
    id: nextId(),
    ts: new Date().toISOString(),
    channel_values,
    channel_versions: { ...previous?.channel_versions, ...Object.fromEntries(versions) },
    versions_seen: {},
  };
}

/**
 * Returns the versions of the channels that `checkpoint` has values of. LangGraph passes these to `put` as new
 * versions.
 */
export function allVersions({
  channel_values,
  channel_versions,
}: Checkpoint): Checkpoint["channel_versions"] {
  return Object.fromEntries(
    Object.keys(channel_values).map((channel) => [channel, channel_versions[channel] ?? 0]),
  );
}

/** Creates metadata as LangGraph's loop writes it. */
export function metadataOf(step = 0, more: Record<string, unknown> = {}): CheckpointMetadata {
  return { source: "loop", step, parents: {}, ...more };
}

/** Stores a checkpoint with these values as the successor of `config`, and returns it with its config. */
export async function putValues(
  saver: BaseCheckpointSaver,
  config: RunnableConfig,
  values: Record<string, unknown>,
  previous?: Checkpoint,
): Promise<{ config: RunnableConfig; checkpoint: Checkpoint }> {
  const checkpoint = checkpointOf(saver, values, previous);
  return { checkpoint, config: await saver.put(config, checkpoint, metadataOf(), allVersions(checkpoint)) };
}

/** Returns the id of a thread that no other test uses. */
export function newThread(): string {
  return `thread ${nextId()}`;
}

/** Returns the config of a thread, as a caller passes it. */
export function threadConfig(thread_id: string, more: Record<string, unknown> = {}): RunnableConfig {
  return { configurable: { thread_id, ...more } };
}

/** Collects everything that an async iterable yields. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Returns the ids of the checkpoints that a list yields, in its order. */
export async function listIds(tuples: AsyncIterable<CheckpointTuple>): Promise<string[]> {
  return (await collect(tuples)).map(({ checkpoint }) => checkpoint.id);
}
