import type {
  BaseCheckpointSaver,
  ChannelVersions,
  CheckpointListOptions,
} from "@langchain/langgraph-checkpoint";
import { InvalidConfigError } from "../../errors/index.js";
import type { ReadOptions } from "../../saver/boundary/parse-read.js";
import { type CheckpointKey, compareText } from "../../saver/model/keys.js";
import { marksOf, type TaskMarks } from "./write-marks.js";
import { copyTargetOf } from "./copy-writes.js";

/** RediSearch refuses more, and the Redis saver lists only ten without a limit. */
const MAX_LISTED = 1_000_000;

// Without a filter the Redis saver lists one namespace in some cases. The savers of this library send no values, and writes only if asked.
const LIST_OPTIONS: CheckpointListOptions & ReadOptions = {
  ...{ filter: {}, limit: MAX_LISTED },
  ...{ values: false, writes: false },
};

/** The part of a checkpoint that decides when and how it is copied. */
export interface ListedCheckpoint extends CheckpointKey {
  /** `undefined` for the first checkpoint of a namespace, and where the saver no longer has the parent. */
  readonly parent: ListedCheckpoint | undefined;
  readonly versions: ChannelVersions;
  /** The marks of the writes, where they were asked for and the saver lists them. */
  readonly tasks: readonly TaskMarks[] | undefined;
}

/** Identifies a checkpoint within its thread. */
export function nameOfCheckpoint({ checkpointNs, checkpointId }: Omit<CheckpointKey, "threadId">): string {
  return JSON.stringify([checkpointNs, checkpointId]);
}

/**
 * Lists the ids of all threads, once each.
 *
 * @throws InvalidConfigError where a saver may have more checkpoints than one list returns.
 */
export async function listThreadIds(saver: BaseCheckpointSaver): Promise<readonly string[]> {
  const ids = new Set<string>();
  let listed = 0;
  for await (const { config } of saver.list({}, LIST_OPTIONS)) {
    listed += 1;
    ids.add(textOf(config.configurable?.thread_id));
  }
  if (listed < MAX_LISTED) return [...ids].sort(compareText);
  throw new InvalidConfigError("options.threads", "is required for a source of a million checkpoints");
}

/**
 * Lists the checkpoints of all namespaces of a thread: the oldest one first, and a parent before its children.
 *
 * @param writes - Whether the marks of the writes are needed.
 * @throws InvalidConfigError for a thread that may have more checkpoints than one list returns.
 */
export async function listCheckpoints(
  saver: BaseCheckpointSaver,
  threadId: string,
  { writes }: { readonly writes: boolean },
): Promise<readonly ListedCheckpoint[]> {
  const found = new Map<string, Omit<ListedCheckpoint, "parent"> & { readonly parentId: string }>();
  const options = { ...LIST_OPTIONS, writes };
  for await (const { config, parentConfig, checkpoint, pendingWrites } of saver.list(
    { configurable: { thread_id: threadId } },
    options,
  )) {
    const checkpointNs = textOf(config.configurable?.checkpoint_ns);
    const parentId = textOf(parentConfig?.configurable?.checkpoint_id);
    const key = { threadId, checkpointNs, checkpointId: checkpoint.id };
    const tasks = writes && pendingWrites !== undefined ? await marksOf(key, pendingWrites) : undefined;
    found.set(nameOfCheckpoint(key), { ...key, parentId, versions: checkpoint.channel_versions, tasks });
  }
  if (found.size >= MAX_LISTED) {
    throw new InvalidConfigError("source", "lists at most a million checkpoints of a thread", { threadId });
  }
  const oldestFirst = [...found].sort(([, a], [, b]) => compareText(a.checkpointId, b.checkpointId));
  const ordered = new Map<string, ListedCheckpoint>();
  for (const [first] of oldestFirst) {
    // A clock that was behind has made ids that are older than those of their parents.
    const lineage = new Set<string>();
    for (let name = first; found.has(name) && !ordered.has(name) && !lineage.has(name);) {
      lineage.add(name);
      name = parentNameOf(found.get(name));
    }
    for (const name of [...lineage].reverse()) {
      const one = found.get(name);
      if (one === undefined) continue;
      const { parentId: _, ...listed } = one;
      ordered.set(name, { ...listed, parent: ordered.get(parentNameOf(one)) });
    }
  }
  return [...ordered.values()];
}

function parentNameOf(one: { readonly checkpointNs: string; readonly parentId: string } | undefined): string {
  return nameOfCheckpoint({ checkpointNs: one?.checkpointNs ?? "", checkpointId: one?.parentId ?? "" });
}

/** `configurable` is untyped. Savers leave out an empty namespace, and a parent that is not there. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** What the target of a copy has of a thread. */
export class StoredThread {
  /** The checkpoints by their names. */
  readonly checkpoints: ReadonlyMap<string, ListedCheckpoint>;
  readonly #keepLast: number;
  readonly #idsByNamespace = new Map<string, string[]>();

  private constructor(listed: readonly ListedCheckpoint[], keepLast: number) {
    this.checkpoints = new Map(listed.map((one) => [nameOfCheckpoint(one), one]));
    this.#keepLast = keepLast;
    for (const { checkpointNs, checkpointId } of listed) {
      const ids = this.#idsByNamespace.get(checkpointNs);
      if (ids === undefined) this.#idsByNamespace.set(checkpointNs, [checkpointId]);
      else ids.push(checkpointId);
    }
  }

  static async read(target: BaseCheckpointSaver, threadId: string): Promise<StoredThread> {
    const listed = await listCheckpoints(target, threadId, { writes: true });
    return new StoredThread(listed, copyTargetOf(target)?.keepLast ?? Infinity);
  }

  get isEmpty(): boolean {
    return this.checkpoints.size === 0;
  }

  /** Whether the target, which keeps only the newest checkpoints, has deleted this one or would delete it at once. */
  hasDropped({ checkpointNs, checkpointId }: CheckpointKey): boolean {
    const ids = this.#idsByNamespace.get(checkpointNs) ?? [];
    return ids.length >= this.#keepLast && ids.every((id) => compareText(checkpointId, id) < 0);
  }

  /** The names of checkpoints with a child that the source lacks: the target has gone on from them by itself. */
  continuedBeside(source: readonly ListedCheckpoint[]): ReadonlySet<string> {
    const names = new Set(source.map(nameOfCheckpoint));
    const own = [...this.checkpoints].filter(([name]) => !names.has(name));
    return new Set(own.flatMap(([, { parent }]) => (parent === undefined ? [] : [nameOfCheckpoint(parent)])));
  }
}
