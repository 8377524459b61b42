import {
  AbortError,
  ConnectionError,
  NotReplicatedError,
  StatementTimeoutError,
} from "../../errors/index.js";
import { codeOf } from "../../errors/error-code.js";
import { onAbort } from "../async/on-abort.js";
import type { RunContext } from "./run-context.js";

/** How long the server has to answer that it cancelled a statement, in milliseconds. */
const CANCEL_GRACE_MS = 2_000;

const QUERY_CANCELED = "57014";

/** What runs, and how it is stopped. */
export interface BoundedRun<T> {
  readonly run: () => Promise<T>;
  /** Asks the server to cancel it; given up when the signal says so. */
  readonly cancel: (giveUp: AbortSignal) => Promise<void>;
}

/**
 * Waits for statements until they are aborted or take too long. Then the server is asked to cancel them, and its answer is
 * awaited: a write that it had finished by then counts as done, and all else as not done.
 *
 * @throws AbortError when the signal ended it.
 * @throws NotReplicatedError when the server has stored it, but no longer waited for a synchronous standby.
 * @throws StatementTimeoutError when the server has cancelled what took too long.
 * @throws ConnectionError, a transient one, when it took too long and the server does not answer any more.
 */
export async function runBounded<T>(
  { run, cancel }: BoundedRun<T>,
  { signal, statementTimeoutMs }: RunContext,
): Promise<T> {
  if (signal === undefined && statementTimeoutMs === undefined) return run();
  throwIfAborted(signal);
  const giveUp = new AbortController();
  const { promise: unanswered, reject } = rejectable();
  let ended: "aborted" | "late" | undefined;
  let grace: NodeJS.Timeout | undefined;
  const end = (why: "aborted" | "late"): void => {
    if (ended !== undefined) return;
    ended = why;
    cancel(giveUp.signal).catch(ignore);
    grace = setTimeout(() => {
      reject(new ConnectionError("the server did not answer, nor the request to cancel"));
    }, CANCEL_GRACE_MS);
  };
  const timer =
    statementTimeoutMs === undefined
      ? undefined
      : setTimeout(() => {
          end("late");
        }, statementTimeoutMs);
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
    clearTimeout(timer);
    clearTimeout(grace);
    giveUp.abort();
    stopListening();
  }
}

/** @throws AbortError when `signal` has been aborted. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw abortErrorOf(signal);
}

/** What a call ends with that `signal` has ended. */
export function abortErrorOf(signal: AbortSignal | undefined, error?: unknown): AbortError {
  return new AbortError({ cause: signal?.reason ?? error });
}

/** Whether the server has cancelled a statement. */
export function isCanceled(error: unknown): boolean {
  return codeOf(error) === QUERY_CANCELED;
}

function rejectable(): { promise: Promise<never>; reject: (error: Error) => void } {
  let reject: (error: Error) => void = ignore;
  const promise = new Promise<never>((_resolve, rejectPromise) => {
    reject = rejectPromise;
  });
  promise.catch(ignore);
  return { promise, reject };
}

function ignore(): void {
  // Nobody waits for it, or its failure shows elsewhere.
}
