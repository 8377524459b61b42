import { waitFor } from "../clock.js";
import type { JournalEntry } from "../journal/entry.js";
import { JournalTail } from "../journal/journal-file.js";

/** When the load resumed after a fault, in milliseconds since a given time. */
export interface Resumption {
  /** The time of the first acknowledged call. */
  readonly firstMs: number;
  /** The time until every slot had a call acknowledged. */
  readonly allMs: number;
}

/** Follows the journal of the load. */
export class JournalWatch {
  readonly entries: JournalEntry[] = [];
  readonly #tail: JournalTail;
  readonly #slots: number;
  readonly #slotOf = new Map<string, number>();

  constructor(path: string, slots: number) {
    this.#tail = new JournalTail(path);
    this.#slots = slots;
  }

  /** Waits until every slot has an acknowledged call that ended after `since`. */
  async untilResumed(since: number, timeoutMs: number): Promise<Resumption | undefined> {
    const resumed = new Map<number, number>();
    let from = this.entries.findLastIndex(({ at }) => at <= since) + 1;
    return waitFor(() => {
      this.catchUp();
      for (const entry of this.entries.slice(from)) {
        const slot = entry.type === "ack" && entry.at > since ? this.#slotOf.get(entry.op) : undefined;
        if (slot !== undefined && !resumed.has(slot)) resumed.set(slot, entry.at - since);
      }
      from = this.entries.length;
      if (resumed.size < this.#slots) return undefined;
      return { firstMs: Math.min(...resumed.values()), allMs: Math.max(...resumed.values()) };
    }, timeoutMs);
  }

  /** Reads the new entries. */
  catchUp(): void {
    for (const entry of this.#tail.read()) {
      if (entry.type === "intent") this.#slotOf.set(entry.op, entry.slot);
      this.entries.push(entry);
    }
  }
}
