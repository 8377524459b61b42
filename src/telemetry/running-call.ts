import type { AsyncResource } from "node:async_hooks";
import { outsideCalls } from "./outside-calls.js";
import type { ObservedOperation } from "./observed-operation.js";

/** The thread, namespace and checkpoint of a call, where known. */
export interface CallSubject {
  readonly threadId?: string | undefined;
  readonly checkpointNs?: string | undefined;
  readonly checkpointId?: string | undefined;
}

/**
 * What a call waits for:
 *
 * - `turn`: the calls before it on its thread or item, or a statement that it will share
 * - `lock`: a pause, after its rows were locked by others
 * - `connection`: a connection of the pool
 * - `database`: the answer to a statement, which may wait for a lock on the server
 * - `retry`: a pause, after a transient fault
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
