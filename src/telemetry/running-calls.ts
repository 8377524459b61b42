import { AsyncResource } from "node:async_hooks";

/** A call waits too long after this time: later than the retries of one statement end by default. In milliseconds. */
export const TOO_LONG_MS = 20_000;

/** The shortest pause between two looks at the calls, in milliseconds. */
const LOOK_MS = 1_000;

/**
 * The calls of a saver that have not settled. One timer looks for those that wait too long. It is set when a call begins, looks again
 * while there are calls, and does not keep the process alive.
 */
export class RunningCalls {
  readonly #calls = new Set<RunningCall>();
  readonly #onLate: (call: RunningCall, waitedMs: number) => void;
  #timer: NodeJS.Timeout | undefined;
  #looksAt = -Infinity;

  /** @param onLate - Called once for each wait that is too long. */
  constructor(onLate: (call: RunningCall, waitedMs: number) => void) {
    this.#onLate = onLate;
  }

  add(call: RunningCall): void {
    this.#calls.add(call);
    // Cloudflare Workers drop the timers of a request that is over: one that is overdue is set again.
    if (this.#looksAt === -Infinity) this.#lookAfter(TOO_LONG_MS);
    else if (call.since > this.#looksAt + LOOK_MS) this.#lookAfter(0);
  }

  delete(call: RunningCall): void {
    this.#calls.delete(call);
  }

  /** Those that wait too long, the longest wait first. */
  late(): RunningCall[] {
    const longest = performance.now() - TOO_LONG_MS;
    return [...this.#calls].filter(({ since }) => since <= longest).sort((a, b) => a.since - b.since);
  }

  #lookAfter(ms: number): void {
    clearTimeout(this.#timer);
    this.#looksAt = performance.now() + ms;
    // The timer looks at the calls of all callers.
    this.#timer = outsideCalls(() =>
      setTimeout(() => {
        this.#look();
      }, ms),
    );
    // There it is a number.
    const timer: { unref?: () => unknown } = this.#timer;
    timer.unref?.();
  }

  #look(): void {
    this.#looksAt = -Infinity;
    const now = performance.now();
    for (const call of this.late())
      if (!call.isReported)
        call.inItsContext(() => {
          this.#onLate(call, now - call.since);
        });
    if (this.#calls.size === 0) return;
    let next = now;
    for (const { since, isReported } of this.#calls) if (!isReported) next = Math.min(next, since);
    this.#lookAfter(Math.max(LOOK_MS, next + TOO_LONG_MS - now));
  }
}

/** The thread, namespace and checkpoint of a call, where known. */
export interface CallSubject {
  readonly threadId?: string | undefined;
  readonly checkpointNs?: string | undefined;
  readonly checkpointId?: string | undefined;
}

/**
 * What a call waits for:
 *
 * - `database`: the answer to a statement. `pg_stat_activity` and `pg_blocking_pids` show who holds a lock
 * - `connection`: a connection of the pool
 * - `turn`: an earlier call on its thread or item, or a statement that it will share
 * - `lock`: a pause of some milliseconds: others have locked its rows, and it has left its connection to calls that need no lock
 * - `retry`: a pause after a transient fault, where you have made retries longer
 */
export type WaitedFor = "turn" | "lock" | "connection" | "database" | "retry";

/** A call to which the database has answered nothing for too long. */
export interface WaitingCall {
  /** The operation, such as `put`. */
  readonly operation: string;
  /** Absent where it is not known, or not reported. */
  readonly threadId?: string;
  /** The time since the call began, or since the database has last answered it, in milliseconds. */
  readonly waitedMs: number;
  /** Absent where the call waits for something else, such as a serializer. */
  readonly waitsFor?: WaitedFor;
}

/** What a call, or several that share a statement, tell about themselves while they run. */
export interface CallProgress {
  /** Says what it is about, once that is known. */
  about(subject: CallSubject): void;
  /** Says what it waits for from now on. */
  waitsFor(what: WaitedFor): void;
  /** Says that the database has answered. */
  moved(): void;
}

/** A call that has not settled. */
export class RunningCall implements CallProgress {
  readonly operation: ObservedOperation;
  readonly #showsThreadIds: boolean;
  readonly #context: AsyncResource | undefined;
  #subject: CallSubject = {};
  #awaited: WaitedFor | undefined;
  #since: number;
  #onEnd: ((waitedMs?: number) => void) | undefined;

  /**
   * @param showsThreadIds - Whether thread ids are reported.
   * @param context - The async context of the caller. Absent where nothing is reported.
   */
  constructor(operation: ObservedOperation, showsThreadIds: boolean, context?: AsyncResource) {
    this.operation = operation;
    this.#context = context;
    this.#showsThreadIds = showsThreadIds;
    this.#since = operation.mayTakeAnyTime === true ? Infinity : performance.now();
  }

  /** What the call is about, as it may be reported. */
  get subject(): CallSubject {
    return this.#subject;
  }

  /** When the call has begun, or was last answered: a time of `performance.now`. `Infinity` for one that may take any time. */
  get since(): number {
    return this.#since;
  }

  get awaited(): WaitedFor | undefined {
    return this.#awaited;
  }

  /** Whether it was reported that the call waits. */
  get isReported(): boolean {
    return this.#onEnd !== undefined;
  }

  about({ threadId, checkpointNs, checkpointId }: CallSubject): void {
    this.#subject = { threadId: this.#showsThreadIds ? threadId : undefined, checkpointNs, checkpointId };
  }

  waitsFor(what: WaitedFor): void {
    this.#awaited = what;
  }

  moved(): void {
    const { since } = this;
    this.#awaited = undefined;
    if (since === Infinity) return;
    this.#since = performance.now();
    this.#endWait(this.#since - since);
  }

  /** Says that the call has settled. */
  ended(): void {
    this.#endWait();
  }

  /**
   * Says that it was reported that the call waits.
   *
   * @param onEnd - Called with the time that it has waited when the database answers, and without one when the call settles before.
   */
  reported(onEnd: (waitedMs?: number) => void): void {
    this.#onEnd = onEnd;
  }

  #endWait(waitedMs?: number): void {
    const onEnd = this.#onEnd;
    if (onEnd === undefined) return;
    this.#onEnd = undefined;
    this.inItsContext(() => {
      onEnd(waitedMs);
    });
  }

  /** Runs a function that reports about the call as code of its caller. */
  inItsContext(report: () => void): void {
    if (this.#context === undefined) outsideCalls(report);
    else this.#context.runInAsyncScope(report);
  }
}

/** The progress of calls that share a statement. */
export function progressOf(calls: readonly { readonly progress?: CallProgress | undefined }[]): CallProgress {
  return {
    // Each has said it.
    about: () => undefined,
    waitsFor: (what) => {
      for (const { progress } of calls) progress?.waitsFor(what);
    },
    moved: () => {
      for (const { progress } of calls) progress?.moved();
    },
  };
}

/** The tables that an operation uses. */
export interface UsedTables {
  /** The first table that it uses. */
  readonly table: string;
  /** Whether it uses no other table. */
  readonly isOnlyTable?: true;
  /** Whether no wait of it is too long: its caller decides how long it waits, or nobody waits for it. */
  readonly mayTakeAnyTime?: true;
}

/** An operation of a class, as spans, metrics and logs show it. */
export interface ObservedOperation extends UsedTables {
  readonly name: string;
}

/** Names the operations of a class. Metrics are kept per operation and table, so both are few. */
export function operationsOf<Name extends string, Use extends UsedTables = UsedTables>(
  uses: Readonly<Record<Name, NoInfer<Use>>>,
): Readonly<Record<Name, Use & ObservedOperation>> {
  const operations: Partial<Record<Name, Use & ObservedOperation>> = {};
  for (const name in uses) operations[name] = { ...uses[name], name };
  return operations as Record<Name, Use & ObservedOperation>;
}

const outside = new AsyncResource("OutsideCalls");

/**
 * Runs a function in the async context in which this module was loaded, which is that of no call: for what serves several callers, such as
 * a statement that they share, a connection or a timer. In the context of one of them, a logger or an instrumentation would take it for
 * that caller's (C20).
 */
export function outsideCalls<T>(run: () => T): T {
  return outside.runInAsyncScope(run);
}
