import { orAborted } from "../statements/cancellation.js";
import type { AsyncResource } from "node:async_hooks";

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

/**
 * Calls that run one after another, such as those on a thread. They are taken in the order in which they were added, and none while an
 * earlier one is under way.
 */
export class CallQueue<Item> {
  readonly key: string;
  readonly #items: Item[] = [];
  #isBusy = false;

  constructor(key: string) {
    this.key = key;
  }

  /** The first call, unless an earlier one is under way. */
  get next(): Item | undefined {
    return this.#isBusy ? undefined : this.#items[0];
  }

  /** The call after the first one. */
  get second(): Item | undefined {
    return this.#items[1];
  }

  /** Whether no call waits or is under way. */
  get isIdle(): boolean {
    return !this.#isBusy && this.#items.length === 0;
  }

  /** How many calls wait. */
  get length(): number {
    return this.#items.length;
  }

  has(item: Item): boolean {
    return this.#items.includes(item);
  }

  add(item: Item): void {
    this.#items.push(item);
  }

  /** Removes a call that was not taken, and returns whether it still was there. */
  remove(item: Item): boolean {
    const index = this.#items.indexOf(item);
    if (index >= 0) this.#items.splice(index, 1);
    return index >= 0;
  }

  /**
   * Takes calls from the front, unless earlier ones are under way. Those taken are then under way.
   *
   * @param fits - Called for one call after the other. Where it returns false, this one and the later ones stay.
   */
  take(fits: (item: Item) => boolean): Item[] {
    if (this.#isBusy) return [];
    const end = this.#items.findIndex((item) => !fits(item));
    const taken = this.#items.splice(0, end === -1 ? this.#items.length : end);
    this.#isBusy = taken.length > 0;
    return taken;
  }

  /** Takes the first call, unless an earlier one is under way. It is then under way. */
  takeNext(): Item | undefined {
    const { next } = this;
    if (next === undefined) return undefined;
    this.#items.shift();
    this.#isBusy = true;
    return next;
  }

  /** Ends the calls that were taken. Those in `again` are taken once more, before any other. */
  free(again: readonly Item[] = []): void {
    this.#isBusy = false;
    this.#items.unshift(...again);
  }
}

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

/** The place of a call that runs in groups. */
export interface Turn<Call> {
  readonly queue: TurnQueue<Turn<Call>>;
  /** Absent until the call is encoded. */
  ready: ReadyCall<Call> | undefined;
  /** Removes what would end the call's wait. */
  stopWaiting: () => void;
}

/** A call that can be sent. */
export interface ReadyCall<Call> {
  readonly call: Call;
  /** Whether it may share a statement with others. Not after a group with it has failed. */
  mayShare: boolean;
  /** The error of that group, where it had one. */
  failure?: unknown;
  /** The async context of its caller, where it has to wait: then the code of another call sends it. */
  context?: AsyncResource;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export type ReadyTurn<Call> = Turn<Call> & { readonly ready: ReadyCall<Call> };

/** Whether this is the turn of a call that can be sent. */
export function isReady<Call>(turn: Turn<Call> | HeldTurn<Turn<Call>> | undefined): turn is ReadyTurn<Call> {
  return turn !== undefined && "ready" in turn && turn.ready !== undefined;
}

/** Runs a function as code of the caller. */
export function inContextOf<T>({ context }: { readonly context?: AsyncResource }, run: () => T): T {
  return context === undefined ? run() : context.runInAsyncScope(run);
}
