import { CallQueue } from "./call-queue.js";
import { HeldTurn, type TurnQueue, type TurnScope } from "./held-turn.js";
import { orAborted } from "../statements/cancellation.js";

/** The place of a call that is sent by itself, and may be about several keys. */
export interface Place {
  /** Whether no call before it is left. */
  isReached(): boolean;
  /** Whether it was left. */
  hasLeft(): boolean;
  /**
   * Resolves when no call before it is left.
   *
   * @throws AbortError as soon as the signal aborts.
   */
  reached(signal: AbortSignal | undefined): Promise<void>;
  /** Keeps the place for these keys alone, which it must cover. */
  narrow(keys: Iterable<string>): void;
  /** Lets the calls after it go on. May be called more than once. */
  leave(): void;
}

/**
 * The queues of calls by their keys, such as the thread or the item that a call is about.
 *
 * A call about several keys enters all of their queues at once, and waits only for calls that were made before it. So no two calls wait for
 * each other (C19).
 */
export class TurnQueues<Turn extends object> {
  readonly #queues = new Map<string, TurnQueue<Turn>>();
  readonly #held = new Set<HeldTurn<Turn>>();
  readonly #onFreed: (queues: Iterable<TurnQueue<Turn>>) => void;

  /** @param onFreed - Called with queues in which other calls may be the next ones now. */
  constructor(onFreed: (queues: Iterable<TurnQueue<Turn>>) => void) {
    this.#onFreed = onFreed;
  }

  /** Returns the queue of a key. What is added to it goes after all calls about the key. */
  of(key: string): TurnQueue<Turn> {
    const known = this.#queues.get(key);
    if (known !== undefined) return known;
    const queue: TurnQueue<Turn> = new CallQueue(key);
    this.#queues.set(key, queue);
    for (const turn of this.#held) if (turn.covers(key)) turn.enter(queue);
    if (queue.length > 0) this.next(queue);
    return queue;
  }

  /** Returns the next call of a queue, unless an earlier one is under way or holds it. */
  next(queue: TurnQueue<Turn>): Turn | undefined {
    let { next } = queue;
    while (next instanceof HeldTurn) {
      next.hold(queue);
      ({ next } = queue);
    }
    if (queue.isIdle && this.#queues.get(queue.key) === queue) this.#queues.delete(queue.key);
    return next;
  }

  /** Whether a call that is sent by itself holds this queue. */
  isHeld(queue: TurnQueue<Turn>): boolean {
    for (const turn of this.#held) if (turn.holds(queue)) return true;
    return false;
  }

  /** Gives a call a place among all calls about its keys. It must then leave. */
  hold(scope: TurnScope): Place {
    const turn = new HeldTurn<Turn>(scope);
    for (const queue of this.#queuesOf(scope)) turn.enter(queue);
    this.#held.add(turn);
    for (const queue of turn.queues) this.next(queue);
    return {
      isReached: () => turn.isReached,
      hasLeft: () => !this.#held.has(turn),
      reached: (signal) => orAborted(turn.reached(), signal),
      narrow: (keys) => {
        const kept = new Set([...keys].map((key) => this.of(key)));
        turn.coverNoMore();
        this.#leave(
          turn,
          turn.queues.filter((queue) => !kept.has(queue)),
        );
      },
      leave: () => {
        if (this.#held.delete(turn)) this.#leave(turn, turn.queues);
      },
    };
  }

  #queuesOf(scope: TurnScope): Iterable<TurnQueue<Turn>> {
    if ("keys" in scope) return new Set([...scope.keys].map((key) => this.of(key)));
    return [...this.#queues.values()].filter(({ key }) => scope.covers(key));
  }

  #leave(turn: HeldTurn<Turn>, queues: readonly TurnQueue<Turn>[]): void {
    for (const queue of queues) turn.leave(queue);
    this.#onFreed(queues);
  }
}
