import {
  AbortError,
  ConnectionError,
  NotReplicatedError,
  StatementTimeoutError,
} from "../../errors/index.js";
import { afterLoopTime } from "../async/timers.js";
import { codeOf } from "../../errors/thrown.js";
import { onAbort } from "../async/on-abort.js";
import { raceAgainst } from "../async/within-time.js";
import type { RunContext } from "./transaction-steps.js";
import { noop } from "../async/noop.js";

/** How long the server has to answer after a cancel request, in milliseconds. */
const CANCEL_GRACE_MS = 2_000;

const QUERY_CANCELED = "57014";

/** A statement or several, and how to cancel them. */
export interface BoundedRun<T> {
  readonly run: () => Promise<T>;
  /** Asks the server to cancel the statement, until the signal aborts. */
  readonly cancel: (giveUp: AbortSignal) => Promise<void>;
}

/**
 * Waits for statements until they are aborted or take too long. Then it asks the server to cancel them and
 * waits for the answer: a write that the server had finished by then counts as done, anything else as not
 * done.
 *
 * @throws AbortError when the signal aborts.
 * @throws NotReplicatedError when the server has stored the write, but no longer waited for a synchronous
 *   standby.
 * @throws StatementTimeoutError when the server has cancelled a statement that took too long.
 * @throws ConnectionError, a transient one, when a statement took too long and the server does not answer any
 *   more.
 */
export async function runBounded<T>({ run, cancel }: BoundedRun<T>, context: RunContext): Promise<T> {
  if (!isBounded(context)) return run();
  const { signal, statementTimeoutMs } = context;
  throwIfAborted(signal);
  const { promise: unanswered, reject } = rejectable();
  let ended: "aborted" | "late" | undefined;
  // Most statements need none, and aborting one takes long: it creates an exception with its stack.
  let cancelling: AbortController | undefined;
  let stopGrace = noop;
  const end = (why: "aborted" | "late"): void => {
    if (ended !== undefined) return;
    ended = why;
    cancelling = new AbortController();
    cancel(cancelling.signal).catch(noop);
    stopGrace = afterLoopTime(CANCEL_GRACE_MS, () => {
      reject(new ConnectionError("the server answered neither the statement nor the cancel request"));
    });
  };
  const stopTimer =
    statementTimeoutMs === undefined
      ? noop
      : afterLoopTime(statementTimeoutMs, () => {
          end("late");
        });
  const stopListening = onAbort(signal, () => {
    end("aborted");
  });
  try {
    return await Promise.race([run(), unanswered]);
  } catch (error) {
    if (error instanceof NotReplicatedError) throw error;
    if (ended === "aborted") throw abortErrorOf(signal, error);
    if (ended === "late" && isCanceled(error)) {
      throw new StatementTimeoutError(statementTimeoutMs ?? 0, { cause: error });
    }
    throw error;
  } finally {
    stopTimer();
    stopGrace();
    cancelling?.abort();
    stopListening();
  }
}

/** Whether anything but the answer of the server can end a run. */
export function isBounded({ signal, statementTimeoutMs }: RunContext): boolean {
  return signal !== undefined || statementTimeoutMs !== undefined;
}

/** @throws AbortError when `signal` has been aborted. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw abortErrorOf(signal);
}

/** The error of a call that `signal` has aborted. */
export function abortErrorOf(signal: AbortSignal | undefined, error?: unknown): AbortError {
  return new AbortError({ cause: signal?.reason ?? error });
}

/**
 * Waits for `work` until the signal of its call aborts.
 *
 * @throws AbortError as soon as the signal aborts.
 */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  try {
    return await raceAgainst(signal, work);
  } catch (error) {
    throwIfAborted(signal);
    throw error;
  }
}

/** Whether the server has cancelled a statement. */
export function isCanceled(error: unknown): boolean {
  return codeOf(error) === QUERY_CANCELED;
}

function rejectable(): { promise: Promise<never>; reject: (error: Error) => void } {
  let reject: (error: Error) => void = noop;
  const promise = new Promise<never>((_resolve, rejectPromise) => {
    reject = rejectPromise;
  });
  promise.catch(noop);
  return { promise, reject };
}
