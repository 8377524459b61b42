import { AsyncResource } from "node:async_hooks";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterLoopTime } from "../async/timers.js";
import { noop } from "../async/noop.js";
import { onAbort } from "../async/on-abort.js";
import { abortErrorOf } from "../statements/cancellation.js";
import { StatementTimeoutError } from "../../errors/index.js";
import { outsideCalls } from "../../telemetry/running-calls.js";
import { groupBy } from "../group-by.js";
import type { GroupedCall, GroupRules } from "./group-rules.js";
import type { LockWaits } from "./lock-waits.js";
import { StatementsUnderWay } from "./statements-under-way.js";
import {
  HeldTurn,
  type TurnQueue,
  type TurnScope,
  inContextOf,
  isReady,
  type ReadyCall,
  type ReadyTurn,
  type Turn,
  type Place,
  TurnQueues,
} from "./turn-queues.js";

/** The turn of a call in its queue. */
export interface CallTurn<Call extends GroupedCall> {
  /**
   * Sends the call, alone or together with others, when it is its turn.
   *
   * @throws AbortError when its signal aborts.
   * @throws StatementTimeoutError if the calls before it take longer than its time limit.
   */
  run(call: Call): Promise<void>;
  /** Gives the turn up. */
  leave(): void;
}

/**
 * Group commit: while few calls are under way, each is sent at once, on a connection of its own. Further calls wait for those that are
 * made in the same turn of the event loop and until few statements are under way, and then share the next one. The calls of a queue, such as those on one thread, run in the order in which they were made.
 *
 * A call neither fails because of its neighbours nor waits for their locks: where a group fails, each of its calls is sent by
 * itself, and {@link StatementsUnderWay} stops waiting for slow statements.
 *
 * Whatever changes a queue or a call in it ends with `#advance`, the only place that decides what is sent next. So no call is
 * left behind when another one is stored, refused, aborted or sent again (C16).
 */
export class CallGroups<Call extends GroupedCall> {
  readonly #rules: GroupRules<Call> | undefined;
  readonly #lockWaits: LockWaits;
  readonly #underWay: StatementsUnderWay;
  readonly #queues = new TurnQueues<Turn<Call>>((queues) => {
    this.#advance(queues);
  });
  /** The queues whose next call waits to share a statement, in the order in which they began to wait. */
  readonly #waiting = new Set<TurnQueue<Turn<Call>>>();

  /**
   * @param rules - `undefined`: no calls share a statement, and they only keep their order.
   * @param connections - How many statements the database can run at once.
   */
  constructor(rules: GroupRules<Call> | undefined, connections: number, lockWaits: LockWaits) {
    this.#rules = rules;
    this.#lockWaits = lockWaits;
    const sendWaiting = (): void => {
      this.#sendWaiting();
    };
    this.#underWay = new StatementsUnderWay(connections, sendWaiting, rules?.alone);
  }

  /** Gives a call that is sent by itself a place among all calls that it is about. It must then leave. */
  hold(scope: TurnScope): Place {
    return this.#queues.hold(scope);
  }

  /** Gives a call its place in a queue, before it is encoded. It must then be run, or leave. */
  enter(key: string): CallTurn<Call> {
    const queue = this.#queues.of(key);
    const turn: Turn<Call> = { queue, ready: undefined, stopWaiting: noop };
    queue.add(turn);
    return {
      run: (call) =>
        new Promise((resolve, reject) => {
          const mayShare = call.mayShare && this.#rules !== undefined;
          turn.ready = { call, mayShare, resolve, reject };
          this.#advance([queue], true);
          if (!queue.has(turn)) return;
          // Another call will send it.
          turn.ready.context = new AsyncResource("WaitingCall");
          this.#limitWait(turn, turn.ready);
        }),
      leave: () => {
        this.#remove(turn);
      },
    };
  }

  /** Ends the wait of a call when its signal aborts, or when earlier calls of its queue take longer than its time limit. */
  #limitWait(turn: Turn<Call>, { call: { signal, timeoutMs }, reject, failure }: ReadyCall<Call>): void {
    const giveUp = (error: Error): void => {
      if (this.#remove(turn)) reject(error);
    };
    let stopTimer = noop;
    const limitTime = (limitMs: number): void => {
      stopTimer = afterLoopTime(limitMs, () => {
        // A queue that only waits for a statement, as in a burst of calls, is sent soon. A call that holds it, such as a copy, may run
        // many statements, each within its own limit.
        if (this.#waiting.has(turn.queue) || this.#queues.isHeld(turn.queue)) limitTime(limitMs);
        else giveUp(waitedTooLong(limitMs, failure));
      });
    };
    // Those that only keep their order share a transaction, whose statements wait for each other in any case.
    if (timeoutMs !== undefined && this.#rules !== undefined) limitTime(timeoutMs);
    let stopListening = noop;
    turn.stopWaiting = () => {
      stopTimer();
      stopListening();
    };
    stopListening = onAbort(signal, () => {
      giveUp(abortErrorOf(signal));
    });
  }

  /** Removes a call that was not sent, and returns whether it still was there. */
  #remove(turn: Turn<Call>): boolean {
    const { queue } = turn;
    if (!queue.remove(turn)) return false;
    turn.stopWaiting();
    this.#advance([queue]);
    return true;
  }

  /**
   * Sends what may be sent now that these queues, or the first calls in them, have changed.
   *
   * @param isArrival - Whether a call was made just now, which can share a statement with those of the same turn.
   */
  #advance(queues: Iterable<TurnQueue<Turn<Call>>>, isArrival = false): void {
    for (const queue of queues) {
      const ready = this.#queues.next(queue)?.ready;
      if (ready?.mayShare === true && !this.#isOnlyCall(queue)) this.#waiting.add(queue);
      else {
        this.#waiting.delete(queue);
        if (ready !== undefined) this.#sendNext(queue);
      }
    }
    if (this.#waiting.size === 0) return;
    if (isArrival) this.#underWay.sendSoon();
    else this.#sendWaiting();
  }

  /** Whether the next call of a queue has nothing to share a statement with, and needs to wait for none. */
  #isOnlyCall(queue: TurnQueue<Turn<Call>>): boolean {
    const { second } = queue;
    const hasOthers = second !== undefined && !(second instanceof HeldTurn);
    return this.#waiting.size === 0 && !hasOthers && this.#underWay.areFew;
  }

  #sendNext(queue: TurnQueue<Turn<Call>>): void {
    const turn = queue.takeNext();
    if (!isReady(turn)) return;
    turn.stopWaiting();
    this.#sendByItself(turn);
  }

  /** Sends calls that wait together, unless they have to wait for a statement. */
  #sendWaiting(): void {
    const rules = this.#rules;
    while (rules !== undefined && this.#waiting.size > 0 && this.#underWay.maySend(this.#waiting.size)) {
      const content = rules.newContent();
      const taken = [...this.#waiting].flatMap((queue) =>
        this.#take(queue, (turn) => isReady(turn) && turn.ready.mayShare && content.add(turn.ready.call)),
      );
      const [first, ...others] = taken;
      if (first === undefined) break;
      if (others.length === 0) this.#sendByItself(first);
      else void outsideCalls(() => this.#sendGroup(taken, rules));
    }
    if (this.#waiting.size > 0) this.#underWay.limitWait();
  }

  #take(
    queue: TurnQueue<Turn<Call>>,
    fits: (turn: Turn<Call> | HeldTurn<Turn<Call>>) => boolean,
  ): ReadyTurn<Call>[] {
    const taken = queue.take(fits).filter(isReady);
    if (taken.length > 0) this.#waiting.delete(queue);
    for (const turn of taken) turn.stopWaiting();
    return taken;
  }

  #sendByItself(turn: ReadyTurn<Call>): void {
    void inContextOf(turn.ready, () => this.#sendAlone(turn));
  }

  /** A statement for a call that can't share one holds nobody back. */
  async #sendAlone({ queue, ready }: ReadyTurn<Call>): Promise<void> {
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
    await this.#letCallerGoOn(queue);
    queue.free();
    this.#advance([queue]);
  }

  /**
   * Where nobody else uses the saver, the caller's next call of the queue can share the statement of those that wait there: a run of
   * LangGraph stores a checkpoint as soon as the one before is stored, and the writes of its tasks beside that.
   */
  async #letCallerGoOn(queue: TurnQueue<Turn<Call>>): Promise<void> {
    const isAlone = this.#waiting.size === 0 && this.#underWay.count === 0;
    if (isAlone && queue.length > 0) await endOfTurn();
  }

  async #sendGroup(turns: readonly ReadyTurn<Call>[], rules: GroupRules<Call>): Promise<void> {
    const queues = groupBy(turns, ({ queue }) => queue);
    const end = this.#underWay.begin(queues.size);
    const { stored, failure } = await sendTogether(
      rules,
      turns.map(({ ready }) => ready.call),
    );
    const isDone = ({ ready }: ReadyTurn<Call>): boolean => stored.has(ready.call);
    end();
    for (const [queue, taken] of queues)
      queue.free(taken.filter((turn) => !isDone(turn) && this.#mayBeSentAgain(turn, failure)));
    this.#advance(queues.keys());
    // The next statement is written before the callers of this one go on: they would keep this process busy, and the server idle.
    if (this.#underWay.count > 0) await nextTurn();
    for (const { ready } of turns.filter(isDone)) ready.resolve();
  }

  /** Prepares a call that its group has not stored to be sent by itself, so that it gets its own error. */
  #mayBeSentAgain(turn: ReadyTurn<Call>, failure: unknown): boolean {
    const { ready } = turn;
    try {
      if (failure !== undefined)
        inContextOf(ready, () => {
          ready.call.afterGroup(failure);
        });
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

async function sendTogether<Call extends GroupedCall>(
  { storeTogether }: GroupRules<Call>,
  calls: readonly Call[],
): Promise<GroupOutcome<Call>> {
  try {
    const areStored = await storeTogether(calls);
    return { stored: new Set(calls.filter((_call, index) => areStored[index] === true)) };
  } catch (failure) {
    return { stored: new Set(), failure };
  }
}

function endOfTurn(): Promise<void> {
  return new Promise((resolve) => {
    process.nextTick(resolve);
  });
}

interface GroupOutcome<Call> {
  readonly stored: ReadonlySet<Call>;
  readonly failure?: unknown;
}

/** @param failure - The error of the call's group, which may have stored the call where its connection was lost. */
function waitedTooLong(timeoutMs: number, failure: unknown): StatementTimeoutError {
  const waited = `the call waited longer than ${timeoutMs} ms for the calls before it`;
  const problem = failure === undefined ? `${waited} and was not sent` : `${waited} to be sent again`;
  return new StatementTimeoutError(timeoutMs, { problem, sqlState: undefined, cause: failure });
}
