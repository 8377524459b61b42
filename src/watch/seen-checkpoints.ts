import type { CheckpointRef } from "../saver/notifications/watch-channel.js";

/** How a checkpoint became known: by the server's notification of its insert, or in another way. */
export type Source = "notified" | "found";

/** For how many namespaces a watch keeps the newest checkpoint. A thread has one namespace per run of a subgraph. */
const MAX_NAMESPACES = 10_000;
/** How many recent checkpoints a watch remembers, since one may become known in both ways. */
const MAX_RECENT = 10_000;

/** The checkpoints that a watch has seen, in bounded memory. */
export class SeenCheckpoints {
  readonly #newest: Map<string, string>;
  readonly #recent = new Map<string, Source>();
  /** In namespaces that `#newest` doesn't hold, checkpoints up to this id count as seen. */
  #floor: string;

  /**
   * @param newest - The newest checkpoint of each namespace when the watch started.
   * @param floor - In all other namespaces, checkpoints up to this id count as seen.
   */
  constructor(newest: readonly CheckpointRef[], floor = "") {
    this.#floor = floor;
    this.#newest = new Map(newest.map(({ checkpointNs, checkpointId }) => [checkpointNs, checkpointId]));
    this.#limitNamespaces();
  }

  /** The newest checkpoint that was seen of each namespace. */
  get newest(): CheckpointRef[] {
    return [...this.#newest].map(([checkpointNs, checkpointId]) => ({ checkpointNs, checkpointId }));
  }

  /** In namespaces that `newest` doesn't hold, checkpoints up to this id count as seen. */
  get floor(): string {
    return this.#floor;
  }

  /**
   * Remembers a checkpoint.
   *
   * @returns Whether it has not been seen before.
   */
  add({ checkpointNs, checkpointId }: CheckpointRef, source: Source): boolean {
    // A notified checkpoint may be older than the floor. It must not lower where its namespace continues.
    const newest = this.#newest.get(checkpointNs) ?? this.#floor;
    if (newest < checkpointId) this.#newest.set(checkpointNs, checkpointId);
    this.#limitNamespaces();
    const key = `${checkpointNs}\0${checkpointId}`;
    const before = this.#recent.get(key);
    this.#recent.delete(key);
    this.#recent.set(key, before === "notified" ? "notified" : source);
    this.#forgetOldest();
    // The server notifies of inserts only: a second notification means that the checkpoint was deleted in between.
    return before === undefined || (before === "notified" && source === "notified");
  }

  #forgetOldest(): void {
    if (this.#recent.size <= MAX_RECENT) return;
    for (const key of this.#recent.keys()) {
      this.#recent.delete(key);
      return;
    }
  }

  #limitNamespaces(): void {
    if (this.#newest.size <= 2 * MAX_NAMESPACES) return;
    const oldestFirst = [...this.#newest].sort(([, a], [, b]) => (a < b ? -1 : 1));
    for (const [checkpointNs, checkpointId] of oldestFirst.slice(0, -MAX_NAMESPACES)) {
      this.#newest.delete(checkpointNs);
      this.#floor = checkpointId;
    }
  }
}
