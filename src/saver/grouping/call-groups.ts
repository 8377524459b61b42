import { setImmediate as nextTurn } from "node:timers/promises";
import { noop } from "../../db/async/noop.js";
import { onAbort } from "../../db/async/on-abort.js";
import { abortErrorOf } from "../../db/statements/bounded-run.js";
import { GroupContent, type GroupMember, mayShare } from "./group-content.js";
import { LOCK_TIMEOUT_MS, type LockWaits, type SendableCall } from "./lock-waits.js";
import { type Place, ThreadQueues } from "./thread-queues.js";

/** How many connections are left to reads and to calls that wait for a lock. */
const SPARE_CONNECTIONS = 2;

/**
 * A statement carries at least a third of the calls under way, so that many calls are sent in few statements, and the server still
 * has one to work on while this process prepares the next.
 */
const LEAST_PART = 1 / 3;

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
 * itself, and a statement that takes longer than {@link LOCK_TIMEOUT_MS} no longer holds others back.
 */
export class CallGroups {
  readonly #storeTogether: StoreTogether;
  readonly #lockWaits: LockWaits;
  /** How many statements may be under way while calls wait for them. */
  readonly #statements: number;
  readonly #queues = new ThreadQueues<Turn>();
  /** How many calls are ready and wait. */
  #waiting = 0;
  /** The statements that waiting calls wait for. */
  readonly #awaited = new Set<SentStatement>();
  #isExpiring = false;

  /** @param connections - How many statements the database can run at once. */
  constructor(storeTogether: StoreTogether, connections: number, lockWaits: LockWaits) {
    this.#storeTogether = storeTogether;
    this.#statements = Math.max(1, connections - SPARE_CONNECTIONS);
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
    const mayStart = !mayShare(call) || (this.#waiting === 0 && this.#maySend(1));
    if (mayStart && this.#queues.takeFirst(turn)) return this.#sendFirst(turn, call);
    return this.#wait(turn, call);
  }

  async #sendFirst({ threadId }: Turn, call: GroupedCall): Promise<void> {
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
    this.#expireLater();
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
    if (next?.call !== undefined && !mayShare(next.call) && this.#queues.takeFirst(next)) {
      this.#waiting--;
      void this.#sendTaken([[next]], [next.call]);
    }
    this.#sendWaiting();
  }

  /** Whether a statement of so many calls may be sent beside those under way. */
  #maySend(calls: number): boolean {
    let underWay = 0;
    for (const statement of this.#awaited) underWay += statement.calls;
    if (underWay + calls <= this.#statements) return true;
    return (
      this.#awaited.size === 0 || (this.#awaited.size < this.#statements && calls >= underWay * LEAST_PART)
    );
  }

  /** Sends calls that wait together, unless they have to wait for a statement. */
  #sendWaiting(): void {
    while (this.#waiting > 0 && this.#maySend(this.#waiting)) {
      const content = new GroupContent<GroupedCall>();
      const taken = this.#queues.take(({ call }) => call !== undefined && content.add(call));
      if (taken.length === 0) return;
      this.#waiting -= content.calls.length;
      void this.#sendTaken(taken, content.calls);
    }
  }

  async #sendTaken(taken: readonly Turn[][], calls: readonly GroupedCall[]): Promise<void> {
    const [[first] = []] = taken;
    if (calls.length === 1 && first?.call !== undefined) {
      await this.#sendFirst(first, first.call).then(first.resolve, first.reject);
      return;
    }
    const end = this.#begin(calls);
    const { stored, failure } = await this.#sendTogether(calls);
    const isStored = ({ call }: Turn): boolean => call !== undefined && stored.has(call);
    const done = taken.filter((turns) => turns.every(isStored));
    for (const [turn] of done) if (turn !== undefined) this.#queues.free(turn.threadId);
    end();
    // The next statement is written before the callers of this one go on: they would keep this process busy, and the server idle.
    if (this.#awaited.size > 0) await nextTurn();
    for (const { resolve } of done.flat()) resolve();
    await Promise.all(
      taken
        .filter((turns) => !done.includes(turns))
        .map((turns) => this.#sendAgain(turns, failure, isStored)),
    );
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
    turns: readonly Turn[],
    failure: unknown,
    isStored: (turn: Turn) => boolean,
  ): Promise<void> {
    for (const turn of turns) {
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
    for (const { threadId } of turns.slice(0, 1)) this.#free(threadId);
  }

  /**
   * Notes that a statement is under way. One that can't be shared holds nobody back.
   *
   * @returns A function to call at its end. Further calls have no effect.
   */
  #begin(calls: readonly GroupedCall[]): () => void {
    if (!calls.every(mayShare)) return noop;
    const statement = { sentAt: performance.now(), calls: calls.length };
    this.#awaited.add(statement);
    this.#expireLater();
    return () => {
      this.#awaited.delete(statement);
      this.#sendWaiting();
    };
  }

  /** Stops waiting for statements that take long, while calls wait for them. */
  #expireLater(): void {
    if (this.#isExpiring || this.#waiting === 0 || this.#awaited.size === 0) return;
    this.#isExpiring = true;
    setTimeout(() => {
      this.#isExpiring = false;
      const sentBefore = performance.now() - LOCK_TIMEOUT_MS;
      for (const statement of this.#awaited) {
        if (statement.sentAt <= sentBefore) this.#awaited.delete(statement);
      }
      this.#lockWaits.interrupt(sentBefore);
      this.#sendWaiting();
      this.#expireLater();
    }, LOCK_TIMEOUT_MS);
  }
}

/** The turn of a call among the calls on its thread. */
export interface CallTurn {
  /** Sends the call, alone or together with others, when it is its turn. */
  run(call: GroupedCall): Promise<void>;
  /** Gives the turn up. */
  leave(): void;
}

interface SentStatement {
  readonly sentAt: number;
  readonly calls: number;
}

interface Turn extends Place {
  /** Absent until the call is ready. */
  call: GroupedCall | undefined;
  resolve: () => void;
  reject: (error: unknown) => void;
}

interface GroupOutcome {
  readonly stored: ReadonlySet<GroupedCall>;
  readonly failure?: unknown;
}
