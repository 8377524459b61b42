import { INTERRUPT, type CheckpointTuple } from "@langchain/langgraph-checkpoint";
import type { ChannelReducers, PostgresSaver } from "../../src/index.js";
import {
  allVersions,
  checkpointOf,
  metadataOf,
  newThread,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { incompressibleText as text } from "../../test-support/spliced-values.js";

/** A thread of three steps, and what its rows are called. */
export interface StoredThread {
  readonly thread: string;
  /** The checkpoints, the oldest first. */
  readonly ids: readonly string[];
  /** The versions of a channel at each checkpoint. */
  readonly versions: readonly Readonly<Record<string, string>>[];
}

/** The reducers of the thread's channels. */
export const REDUCERS: ChannelReducers = {
  list: (current: string[] = [], update: string[]) => current.concat(update),
  draft: (_current: unknown, update: unknown) => update,
};

/**
 * Stores a thread whose channel `list` is stored as splices by a saver with `splices`. The writes of two tasks led to the second and to the
 * third checkpoint, and those of a third one are pending.
 */
export async function putThread(saver: PostgresSaver, thread = newThread()): Promise<StoredThread> {
  let config = threadConfig(thread);
  let list = [text(6_000)];
  let last;
  const checkpoints = [];
  for (const [step, draft] of ["a", "b", "c"].entries()) {
    const checkpoint = checkpointOf(saver, { list, draft: [draft] }, last);
    const metadata = metadataOf(step - 1, { source: step === 0 ? "input" : "loop" });
    config = await saver.put(config, checkpoint, metadata, allVersions(checkpoint));
    checkpoints.push(checkpoint);
    last = checkpoint;
    const next = ["b", "c", "d"][step] ?? "";
    await saver.putWrites(config, [["list", [next]], ["draft", [next]], [INTERRUPT, []]], `task ${next}`, "path"); // oxfmt-ignore
    list = [...list, next];
  }
  return {
    thread,
    ids: checkpoints.map(({ id }) => id),
    versions: checkpoints.map(({ channel_versions }) =>
      Object.fromEntries(Object.entries(channel_versions).map(([name, version]) => [name, String(version)])),
    ),
  };
}

/** All checkpoints of a thread, the newest first, with their pending writes. */
export async function readAll(saver: PostgresSaver, thread: string): Promise<CheckpointTuple[]> {
  const tuples: CheckpointTuple[] = [];
  for await (const tuple of saver.list(threadConfig(thread))) tuples.push(tuple);
  return tuples;
}

/** Statements that damage a thread. `$1` is its id. */
export const DAMAGE = {
  /** @param step - The number of the checkpoint; the last one is 2. */
  header: ({ ids }: StoredThread, step: number, set: string) =>
    `update checkpoints set ${set} where thread_id = $1 and checkpoint_id = '${ids[step]}'`,
  value: ({ versions }: StoredThread, step: number, channel: string, set: string) =>
    `update checkpoint_blobs set ${set} where thread_id = $1 and channel = '${channel}' and version = '${versions[step]?.[channel]}'`,
  write: ({ ids }: StoredThread, step: number, channel: string, set: string) =>
    `update checkpoint_writes set ${set} where thread_id = $1 and channel = '${channel}' and checkpoint_id = '${ids[step]}'`,
} as const;

/** Bytes that no serializer reads. */
export const UNREADABLE = "blob = '\\xc1'";
