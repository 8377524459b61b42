import type { ToldCheckpoint } from "../saver/notifications/watch-channel.js";

/** How a checkpoint became known: told by the server when it was inserted, or found otherwise. */
export type Source = "told" | "found";

/** How many namespaces a watch keeps the newest checkpoint of: a thread has one for each run of a subgraph. */
const MAX_NAMESPACES = 10_000;
/** How many checkpoints a watch remembers that it has come upon, since one may come by two ways. */
const MAX_RECENT = 10_000;

/** What a watch has come upon so far, in bounded memory. */
export class SeenCheckpoints {
  readonly #newest: Map<string, string>;
  readonly #recent = new Map<string, Source>();
  /** Of namespaces that are not kept, what is not later than this has been seen. */
  #floor: string;

  /**
   * @param newest - The newest checkpoint of each namespace when the watch began.
   * @param floor - Of all other namespaces, what is not later than this has been seen.
   */
  constructor(newest: readonly ToldCheckpoint[], floor = "") {
    this.#floor = floor;
    this.#newest = new Map(newest.map(({ checkpointNs, checkpointId }) => [checkpointNs, checkpointId]));
    this.#bound();
  }

  /** The newest checkpoint that was seen of each namespace. */
  get newest(): ToldCheckpoint[] {
    return [...this.#newest].map(([checkpointNs, checkpointId]) => ({ checkpointNs, checkpointId }));
  }

  /** The checkpoint that those are later than which count as new in all other namespaces. */
  get floor(): string {
    return this.#floor;
  }

  /** Takes note of a checkpoint; whether it is one that has not been seen. */
  add({ checkpointNs, checkpointId }: ToldCheckpoint, source: Source): boolean {
    // One that is told may be earlier than what counts as seen; its namespace must not count from there.
    const known = this.#newest.get(checkpointNs) ?? this.#floor;
    if (known < checkpointId) this.#newest.set(checkpointNs, checkpointId);
    this.#bound();
    const key = `${checkpointNs}\0${checkpointId}`;
    const before = this.#recent.get(key);
    this.#recent.delete(key);
    this.#recent.set(key, before === "told" ? "told" : source);
    this.#forgetOldest();
    // One that is told twice was inserted twice, and deleted in between.
    return before === undefined || (before === "told" && source === "told");
  }

  #forgetOldest(): void {
    if (this.#recent.size <= MAX_RECENT) return;
    for (const key of this.#recent.keys()) {
      this.#recent.delete(key);
      return;
    }
  }

  #bound(): void {
    if (this.#newest.size <= 2 * MAX_NAMESPACES) return;
    const oldestFirst = [...this.#newest].sort(([, a], [, b]) => (a < b ? -1 : 1));
    for (const [checkpointNs, checkpointId] of oldestFirst.slice(0, -MAX_NAMESPACES)) {
      this.#newest.delete(checkpointNs);
      this.#floor = checkpointId;
    }
  }
}
