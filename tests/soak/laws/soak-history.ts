import type { BeganEntry, SettledEntry, SoakEntry } from "./soak-entry.js";

/** How many of a user's newest items stay in the store. */
export const KEPT_ITEMS = 15;

/** Where a thread is: `unknown` while it is moved, and after a move that has not succeeded. */
export type ThreadPlace = "stored" | "archived" | "deleted" | "unknown";

/** What is known of one thread. */
export interface SoakThread {
  readonly user: number;
  place: ThreadPlace;
  /** The acknowledged turns, oldest first. */
  readonly turns: string[];
}

/** An action that has not settled. */
export type PendingAction = BeganEntry & { readonly at: number };

/** Computes from the journals what must be in the database, and who waits. */
export class SoakHistory {
  readonly threads = new Map<string, SoakThread>();
  readonly pending = new Map<string, PendingAction>();
  /** The numbers of each user's newest acknowledged items. */
  readonly items = new Map<number, number[]>();
  readonly violations: string[] = [];
  readonly failures = new Map<string, number>();
  /** The users whose last turn has succeeded. */
  readonly finished = new Set<number>();
  readonly memory = new Map<string, number[]>();
  readonly counts = { turns: 0, cancelled: 0, failed: 0, moves: 0 };
  longestMs = 0;

  static of(entries: Iterable<SoakEntry>): SoakHistory {
    const history = new SoakHistory();
    for (const entry of entries) history.apply(entry);
    return history;
  }

  apply(entry: SoakEntry): void {
    switch (entry.type) {
      case "began":
        this.pending.set(entry.action, entry);
        this.#begin(entry);
        return;
      case "item":
        this.items.set(entry.user, newestOf([...(this.items.get(entry.user) ?? []), entry.number]));
        return;
      case "violation":
        this.violations.push(entry.text);
        return;
      case "memory":
        this.memory.set(entry.process, [...(this.memory.get(entry.process) ?? []), entry.bytes]);
        return;
      default:
        this.#settle(entry);
    }
  }

  /** Forgets the actions of a process that was killed: nobody waits for them. */
  killed(process: string): void {
    for (const action of this.pending.keys())
      if (action.startsWith(`${process}-`)) this.pending.delete(action);
  }

  #begin(entry: BeganEntry): void {
    const thread = this.#threadOf(entry);
    // A deletion that was not acknowledged may still take effect.
    if (entry.kind === "delete") thread.place = "deleted";
    else if (entry.kind !== "turn") thread.place = "unknown";
  }

  #threadOf({ thread, user }: Pick<BeganEntry, "thread" | "user">): SoakThread {
    const known = this.threads.get(thread) ?? { user, place: "stored", turns: [] };
    this.threads.set(thread, known);
    return known;
  }

  #settle({ type, action, at, error = "" }: SettledEntry & { readonly at: number }): void {
    const began = this.pending.get(action);
    if (began === undefined) return;
    this.pending.delete(action);
    this.longestMs = Math.max(this.longestMs, at - began.at);
    if (type === "cancelled") this.counts.cancelled++;
    if (type === "failed") {
      this.counts.failed++;
      this.failures.set(error, (this.failures.get(error) ?? 0) + 1);
    }
    if (type === "done") this.#done(began);
  }

  #done(began: BeganEntry): void {
    const thread = this.#threadOf(began);
    if (began.kind === "turn") {
      this.counts.turns++;
      thread.turns.push(began.action);
      if (began.isLast) this.finished.add(began.user);
      return;
    }
    this.counts.moves++;
    thread.place = ({ archive: "archived", restore: "stored", delete: "deleted" } as const)[began.kind];
  }
}

/** Returns the items that stay: older ones are deleted. */
function newestOf(numbers: readonly number[]): number[] {
  const newest = Math.max(...numbers);
  return numbers.filter((number) => number > newest - KEPT_ITEMS);
}
