import type { CallQueue } from "./call-queue.js";

/** The calls about a key: those that run in groups, and the places of those that hold several queues. */
export type TurnQueue<Turn> = CallQueue<Turn | HeldTurn<Turn>>;

/** What a call is about that holds queues. */
export type TurnScope =
  | { readonly keys: Iterable<string> }
  /**
   * All keys for which the function returns true, also those of calls that are made later. With `passes`, the call waits for those that
   * were made before it, and holds nobody back.
   */
  | { readonly covers: (key: string) => boolean; readonly passes?: boolean };

/** The place of a call in the queues of all that it is about. It holds each of them from the moment when it is the first there. */
export class HeldTurn<Turn> {
  /** Whether it leaves a queue as soon as it is the first there. */
  readonly passes: boolean;
  /** The queues that it has a place in, and whether it holds them. */
  readonly #queues = new Map<TurnQueue<Turn>, boolean>();
  #covers: ((key: string) => boolean) | undefined;
  #onReached: (() => void) | undefined;

  constructor(scope: TurnScope) {
    this.passes = "covers" in scope && scope.passes === true;
    this.#covers = "covers" in scope && !this.passes ? scope.covers : undefined;
  }

  get queues(): TurnQueue<Turn>[] {
    return [...this.#queues.keys()];
  }

  /** Whether no call before it is left. */
  get isReached(): boolean {
    for (const isHeld of this.#queues.values()) if (!isHeld) return false;
    return true;
  }

  /** Whether it goes before a call with this key that is made now. */
  covers(key: string): boolean {
    return this.#covers?.(key) === true;
  }

  /** From now on, no call that is made with a new key waits for it. */
  coverNoMore(): void {
    this.#covers = undefined;
  }

  /** Whether it is the first in a queue. */
  holds(queue: TurnQueue<Turn>): boolean {
    return this.#queues.get(queue) === true;
  }

  enter(queue: TurnQueue<Turn>): void {
    queue.add(this);
    this.#queues.set(queue, false);
  }

  /** Takes its place in a queue where it is the next. */
  hold(queue: TurnQueue<Turn>): void {
    queue.takeNext();
    this.#queues.set(queue, true);
    if (this.passes) this.leave(queue);
    this.#tell();
  }

  /** Leaves a queue, whether or not it holds it. */
  leave(queue: TurnQueue<Turn>): void {
    if (this.holds(queue)) queue.free();
    else queue.remove(this);
    this.#queues.delete(queue);
    this.#tell();
  }

  /** Resolves when no call before it is left. */
  async reached(): Promise<void> {
    if (this.isReached) return;
    await new Promise<void>((resolve) => {
      this.#onReached = resolve;
    });
  }

  #tell(): void {
    if (this.isReached) this.#onReached?.();
  }
}
