import { setImmediate as nextTurn } from "node:timers/promises";
import { noop } from "../../db/async/noop.js";
import { onAbort } from "../../db/async/on-abort.js";
import { abortErrorOf } from "../../db/statements/cancellation.js";
import { StatementTimeoutError } from "../../errors/index.js";
import { groupBy } from "../model/group-by.js";
import { GroupContent, type GroupMember, mayShare } from "./group-content.js";
import type { LockWaits, SendableCall } from "./lock-waits.js";
import { StatementsUnderWay } from "./statements-under-way.js";
import { ThreadQueue } from "./thread-queue.js";

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

/** The turn of a call among the calls on its thread. */
export interface CallTurn {
  /**
   * Sends the call, alone or together with others, when it is its turn.
   *
   * @throws AbortError when its signal aborts.
   * @throws StatementTimeoutError if the calls before it take longer than its time limit.
   */
  run(call: GroupedCall): Promise<void>;
  /** Gives the turn up. */
  leave(): void;
}

/**
 * Group commit: while few calls are under way, each is sent at once, on a connection of its own. Further calls wait for a statement
 * to end, and then share the next one. The calls of a thread run in the order in which they were made.
 *
 * A call neither fails because of its neighbours nor waits for their locks: where a group fails, each of its calls is sent by
 * itself, and {@link StatementsUnderWay} stops waiting for slow statements.
 *
 * Whatever changes a thread's queue or a call in it ends with `#advance`, the only place that decides what is sent next. So no call is
 * left behind when another one is stored, refused, aborted or sent again (C16).
 */
export class CallGroups {
  readonly #storeTogether: StoreTogether;
  readonly #lockWaits: LockWaits;
  readonly #underWay: StatementsUnderWay;
  readonly #threads = new Map<string, ThreadQueue<Turn>>();
  /** The threads whose next call waits to share a statement, in the order in which they began to wait. */
  readonly #waiting = new Set<ThreadQueue<Turn>>();

  /** @param connections - How many statements the database can run at once. */
  constructor(storeTogether: StoreTogether, connections: number, lockWaits: LockWaits) {
    this.#storeTogether = storeTogether;
    this.#lockWaits = lockWaits;
    this.#underWay = new StatementsUnderWay(connections, () => {
      this.#sendWaiting();
    });
  }

  /** Gives a call its place among the calls on its thread, before it is encoded. It must then be run, or leave. */
  enter(threadId: string): CallTurn {
    const thread = this.#threads.get(threadId) ?? new ThreadQueue<Turn>(threadId);
    this.#threads.set(threadId, thread);
    const turn: Turn = { thread, ready: undefined, stopWaiting: noop };
    thread.add(turn);
    return {
      run: (call) =>
        new Promise((resolve, reject) => {
          turn.ready = { call, mayShare: mayShare(call), resolve, reject };
          this.#advance([thread]);
          if (thread.has(turn)) this.#limitWait(turn, turn.ready);
        }),
      leave: () => {
        this.#remove(turn);
      },
    };
  }

  /** Ends the wait of a call when its signal aborts, or when earlier calls on its thread take longer than its time limit. */
  #limitWait(turn: Turn, { call: { signal, timeoutMs }, reject, failure }: ReadyCall): void {
    const giveUp = (error: Error): void => {
      if (this.#remove(turn)) reject(error);
    };
    let timer: NodeJS.Timeout | undefined;
    const limitTime = (limitMs: number): void => {
      timer = setTimeout(() => {
        // A thread that only waits for a statement, as in a burst of calls, is sent soon.
        if (this.#waiting.has(turn.thread)) limitTime(limitMs);
        else giveUp(waitedTooLong(limitMs, failure));
      }, limitMs);
    };
    if (timeoutMs !== undefined) limitTime(timeoutMs);
    let stopListening = noop;
    turn.stopWaiting = () => {
      clearTimeout(timer);
      stopListening();
    };
    stopListening = onAbort(signal, () => {
      giveUp(abortErrorOf(signal));
    });
  }

  /** Removes a call that was not sent, and returns whether it still was there. */
  #remove(turn: Turn): boolean {
    const { thread } = turn;
    if (!thread.remove(turn)) return false;
    turn.stopWaiting();
    this.#advance([thread]);
    return true;
  }

  /** Sends what may be sent now that the queues of these threads, or the first calls in them, have changed. */
  #advance(threads: Iterable<ThreadQueue<Turn>>): void {
    for (const thread of threads) {
      if (thread.isIdle) this.#threads.delete(thread.threadId);
      const ready = thread.next?.ready;
      if (ready?.mayShare === true && !this.#isOnlyCall(thread)) this.#waiting.add(thread);
      else {
        this.#waiting.delete(thread);
        if (ready !== undefined) this.#sendNext(thread);
      }
    }
    if (this.#waiting.size > 0) this.#sendWaiting();
  }

  /** Whether the next call of a thread has nothing to share a statement with, and needs to wait for none. */
  #isOnlyCall(thread: ThreadQueue<Turn>): boolean {
    return this.#waiting.size === 0 && thread.length === 1 && this.#underWay.maySend(1);
  }

  #sendNext(thread: ThreadQueue<Turn>): void {
    const turn = thread.takeNext();
    if (turn === undefined || !isReady(turn)) return;
    turn.stopWaiting();
    void this.#sendAlone(turn);
  }

  /** Sends calls that wait together, unless they have to wait for a statement. */
  #sendWaiting(): void {
    while (this.#waiting.size > 0 && this.#underWay.maySend(this.#waiting.size)) {
      const content = new GroupContent<GroupedCall>();
      const taken = [...this.#waiting].flatMap((thread) =>
        this.#take(thread, ({ ready }) => ready?.mayShare === true && content.add(ready.call)),
      );
      const [first, ...others] = taken;
      if (first === undefined) break;
      if (others.length === 0) void this.#sendAlone(first);
      else void this.#sendGroup(taken);
    }
    if (this.#waiting.size > 0) this.#underWay.expireLater();
  }

  #take(thread: ThreadQueue<Turn>, fits: (turn: Turn) => boolean): ReadyTurn[] {
    const taken = thread.take(fits).filter(isReady);
    if (taken.length > 0) this.#waiting.delete(thread);
    for (const turn of taken) turn.stopWaiting();
    return taken;
  }

  /** A statement for a call that can't share one holds nobody back. */
  async #sendAlone({ thread, ready }: ReadyTurn): Promise<void> {
    const givesWay = ready.mayShare && this.#lockWaits.areOnOneConnection;
    const giveWay = givesWay ? new AbortController() : undefined;
    const end = ready.mayShare ? this.#underWay.begin(1, () => giveWay?.abort()) : noop;
    try {
      await this.#lockWaits.send(ready.call, giveWay?.signal);
      ready.resolve();
    } catch (error) {
      ready.reject(error);
    }
    end();
    await this.#letCallerGoOn(thread);
    thread.free();
    this.#advance([thread]);
  }

  /**
   * Where nobody else uses the saver, the caller's next call on the thread can share the statement of those that wait there: a run of
   * LangGraph stores a checkpoint as soon as the one before is stored, and the writes of its tasks beside that.
   */
  async #letCallerGoOn(thread: ThreadQueue<Turn>): Promise<void> {
    const isAlone = this.#waiting.size === 0 && this.#underWay.count === 0;
    if (isAlone && thread.length > 0) await endOfTurn();
  }

  async #sendGroup(turns: readonly ReadyTurn[]): Promise<void> {
    const threads = groupBy(turns, ({ thread }) => thread);
    const end = this.#underWay.begin(threads.size);
    const { stored, failure } = await this.#sendTogether(turns.map(({ ready }) => ready.call));
    const isDone = ({ ready }: ReadyTurn): boolean => stored.has(ready.call);
    end();
    for (const [thread, taken] of threads)
      thread.free(taken.filter((turn) => !isDone(turn) && this.#mayBeSentAgain(turn, failure)));
    this.#advance(threads.keys());
    // The next statement is written before the callers of this one go on: they would keep this process busy, and the server idle.
    if (this.#underWay.count > 0) await nextTurn();
    for (const { ready } of turns.filter(isDone)) ready.resolve();
  }

  async #sendTogether(calls: readonly GroupedCall[]): Promise<GroupOutcome> {
    try {
      const areStored = await this.#storeTogether(calls);
      return { stored: new Set(calls.filter((_call, index) => areStored[index] === true)) };
    } catch (failure) {
      return { stored: new Set(), failure };
    }
  }

  /** Prepares a call that its group has not stored to be sent by itself, so that it gets its own error. */
  #mayBeSentAgain(turn: ReadyTurn, failure: unknown): boolean {
    const { ready } = turn;
    try {
      if (failure !== undefined) ready.call.afterGroup(failure);
    } catch (error) {
      ready.reject(error);
      return false;
    }
    ready.mayShare = false;
    ready.failure = failure;
    this.#limitWait(turn, ready);
    return true;
  }
}

function endOfTurn(): Promise<void> {
  return new Promise((resolve) => {
    process.nextTick(resolve);
  });
}

interface Turn {
  readonly thread: ThreadQueue<Turn>;
  /** Absent until the call is encoded. */
  ready: ReadyCall | undefined;
  /** Removes what would end the call's wait. */
  stopWaiting: () => void;
}

interface ReadyCall {
  readonly call: GroupedCall;
  /** Whether it may share a statement with others. Not after a group with it has failed. */
  mayShare: boolean;
  /** The error of that group, where it had one. */
  failure?: unknown;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

type ReadyTurn = Turn & { readonly ready: ReadyCall };

function isReady(turn: Turn): turn is ReadyTurn {
  return turn.ready !== undefined;
}

interface GroupOutcome {
  readonly stored: ReadonlySet<GroupedCall>;
  readonly failure?: unknown;
}

/** @param failure - The error of the call's group, which may have stored the call where its connection was lost. */
function waitedTooLong(timeoutMs: number, failure: unknown): StatementTimeoutError {
  const waited = `the call waited longer than ${timeoutMs} ms for earlier calls on its thread`;
  const problem = failure === undefined ? `${waited} and was not sent` : `${waited} to be sent again`;
  return new StatementTimeoutError(timeoutMs, { problem, sqlState: undefined, cause: failure });
}
