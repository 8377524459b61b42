import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { type CheckpointKey, compareText } from "../../saver/model/keys.js";
import { copyTargetOf } from "./copy-target.js";
import { listCheckpoints, type ListedCheckpoint, nameOf } from "./listed-checkpoints.js";

/** What the target of a copy has of a thread. */
export class StoredThread {
  /** The checkpoints by their names. */
  readonly checkpoints: ReadonlyMap<string, ListedCheckpoint>;
  readonly #keepLast: number;
  readonly #idsByNamespace = new Map<string, string[]>();

  private constructor(listed: readonly ListedCheckpoint[], keepLast: number) {
    this.checkpoints = new Map(listed.map((one) => [nameOf(one), one]));
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
    const names = new Set(source.map(nameOf));
    const own = [...this.checkpoints].filter(([name]) => !names.has(name));
    return new Set(own.flatMap(([, { parent }]) => (parent === undefined ? [] : [nameOf(parent)])));
  }
}
