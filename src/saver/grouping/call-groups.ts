import { setImmediate as nextTurn } from "node:timers/promises";
import { noop } from "../../db/async/noop.js";
import { onAbort } from "../../db/async/on-abort.js";
import { abortErrorOf } from "../../db/statements/bounded-run.js";
import { GroupContent, type GroupMember, mayShare } from "./group-content.js";
import type { LockWaits, SendableCall } from "./lock-waits.js";
import { StatementsUnderWay } from "./statements-under-way.js";
import { type Place, type TakenPlaces, ThreadQueues } from "./thread-queues.js";

/** A call that stores or deletes. */
export interface GroupedCall extends GroupMember, SendableCall {
  /**
   * Called before the call is sent by itself because its group has failed.
   *
   * @throws the error where the call must not be sent again.
   */
  readonly afterGroup: (error: unknown) => void;
}

/** Sends calls together, and returns whether each was stored. Rejects where none was. */
export type StoreTogether = (calls: readonly GroupedCall[]) => Promise<readonly boolean[]>;

/**
 * Group commit: while few calls are under way, each is sent at once, on a connection of its own. Further calls wait for a statement
 * to end, and then share the next one. The calls of a thread run in the order in which they were made.
 *
 * A call neither fails because of its neighbours nor waits for their locks: where a group fails, each of its calls is sent by
 * itself, and {@link StatementsUnderWay} stops waiting for slow statements.
 */
export class CallGroups {
  readonly #storeTogether: StoreTogether;
  readonly #lockWaits: LockWaits;
  readonly #queues = new ThreadQueues<Turn>();
  /** How many calls are ready and wait. */
  #waiting = 0;
  /** The statements that waiting calls wait for. */
  readonly #awaited: StatementsUnderWay;

  /** @param connections - How many statements the database can run at once. */
  constructor(storeTogether: StoreTogether, connections: number, lockWaits: LockWaits) {
    this.#storeTogether = storeTogether;
    this.#awaited = new StatementsUnderWay(connections, {
      areThere: () => this.#waiting > 0,
      onExpired: (sentUntil) => {
        lockWaits.interrupt(sentUntil);
        this.#sendWaiting();
      },
    });
    this.#lockWaits = lockWaits;
  }

  /** Gives a call its place among the calls on its thread, before it is encoded. It must then be run, or leave. */
  enter(threadId: string): CallTurn {
    const turn: Turn = { threadId, call: undefined, resolve: noop, reject: noop };
    this.#queues.add(turn);
    return {
      run: (call) => this.#run(turn, call),
      leave: () => {
        this.#queues.remove(turn);
        this.#advance(threadId);
      },
    };
  }

  #run(turn: Turn, call: GroupedCall): Promise<void> {
    turn.call = call;
    const mayStart = !mayShare(call) || (this.#waiting === 0 && this.#awaited.maySend(1));
    if (mayStart && this.#queues.takeFirst(turn)) return this.#sendAlone(turn, call);
    return this.#wait(turn, call);
  }

  async #sendAlone({ threadId }: Turn, call: GroupedCall): Promise<void> {
    const end = this.#begin([call]);
    try {
      await this.#lockWaits.send(call, mayShare(call));
    } finally {
      end();
      this.#free(threadId);
    }
  }

  async #wait(turn: Turn, { signal }: GroupedCall): Promise<void> {
    const sent = new Promise<void>((resolve, reject) => {
      turn.resolve = resolve;
      turn.reject = reject;
    });
    this.#waiting++;
    this.#awaited.expireLater();
    this.#sendWaiting();
    const stopListening = onAbort(signal, () => {
      if (!this.#queues.remove(turn)) return;
      this.#waiting--;
      turn.reject(abortErrorOf(signal));
      this.#advance(turn.threadId);
    });
    try {
      await sent;
    } finally {
      stopListening();
    }
  }

  #free(threadId: string): void {
    this.#queues.free(threadId);
    this.#advance(threadId);
  }

  /** Sends what may be sent now that the calls of a thread have advanced. */
  #advance(threadId: string): void {
    const next = this.#queues.next(threadId);
    if (next?.call !== undefined && !mayShare(next.call) && this.#queues.takeFirst(next))
      this.#sendWaited(next, next.call);
    this.#sendWaiting();
  }

  /** Sends calls that wait together, unless they have to wait for a statement. */
  #sendWaiting(): void {
    while (this.#waiting > 0 && this.#awaited.maySend(this.#waiting)) {
      const content = new GroupContent<GroupedCall>();
      const taken = this.#queues.take(({ call }) => call !== undefined && content.add(call));
      const [first, ...others] = taken.flatMap(({ places }) => places);
      if (first?.call === undefined) return;
      if (others.length === 0) this.#sendWaited(first, first.call);
      else {
        this.#waiting -= content.calls.length;
        void this.#sendGroup(taken, content.calls);
      }
    }
  }

  /** Sends one call that has waited. */
  #sendWaited(turn: Turn, call: GroupedCall): void {
    this.#waiting--;
    this.#sendAlone(turn, call).then(turn.resolve, turn.reject);
  }

  async #sendGroup(taken: readonly TakenTurns[], calls: readonly GroupedCall[]): Promise<void> {
    const end = this.#begin(calls);
    const { stored, failure } = await this.#sendTogether(calls);
    const isStored = ({ call }: Turn): boolean => call !== undefined && stored.has(call);
    const done = taken.filter(({ places }) => places.every(isStored));
    for (const { threadId } of done) this.#queues.free(threadId);
    end();
    // The next statement is written before the callers of this one go on: they would keep this process busy, and the server idle.
    if (this.#awaited.count > 0) await nextTurn();
    for (const { resolve } of done.flatMap(({ places }) => places)) resolve();
    const others = taken.filter((thread) => !done.includes(thread));
    await Promise.all(others.map((thread) => this.#sendAgain(thread, isStored, failure)));
  }

  async #sendTogether(calls: readonly GroupedCall[]): Promise<GroupOutcome> {
    try {
      const areStored = await this.#storeTogether(calls);
      return { stored: new Set(calls.filter((_call, index) => areStored[index] === true)) };
    } catch (failure) {
      return { stored: new Set(), failure };
    }
  }

  /** Sends calls of a thread by themselves that their group has not stored, so that each gets its own error. */
  async #sendAgain(
    { threadId, places }: TakenTurns,
    isStored: (turn: Turn) => boolean,
    failure: unknown,
  ): Promise<void> {
    for (const turn of places) {
      const { call, resolve, reject } = turn;
      try {
        if (call !== undefined && !isStored(turn)) {
          if (failure !== undefined) call.afterGroup(failure);
          await this.#lockWaits.send(call, false);
        }
        resolve();
      } catch (error) {
        reject(error);
      }
    }
    this.#free(threadId);
  }

  /**
   * Notes that a statement is under way. One that can't be shared holds nobody back.
   *
   * @returns A function to call at its end. Further calls have no effect.
   */
  #begin(calls: readonly GroupedCall[]): () => void {
    if (!calls.every(mayShare)) return noop;
    const statement = this.#awaited.add(calls.length);
    return () => {
      this.#awaited.delete(statement);
      this.#sendWaiting();
    };
  }
}

/** The turn of a call among the calls on its thread. */
export interface CallTurn {
  /** Sends the call, alone or together with others, when it is its turn. */
  run(call: GroupedCall): Promise<void>;
  /** Gives the turn up. */
  leave(): void;
}

interface Turn extends Place {
  /** Absent until the call is ready. */
  call: GroupedCall | undefined;
  resolve: () => void;
  reject: (error: unknown) => void;
}

type TakenTurns = TakenPlaces<Turn>;

interface GroupOutcome {
  readonly stored: ReadonlySet<GroupedCall>;
  readonly failure?: unknown;
}
