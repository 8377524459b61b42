import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import { advisoryKey } from "../db/locks/advisory-key.js";
import type { CallContext } from "../db/call-context.js";
import type { HeldLock, Locks } from "../db/locks/locks.js";
import { onAbort } from "../db/async/on-abort.js";
import {
  ConnectionError,
  InvalidConfigError,
  ThreadLockedError,
  ThreadLockLostError,
} from "../errors/index.js";
import { runCall } from "../db/run-call.js";
import { saverOperations } from "../saver/call/saver-operations.js";
import { z } from "zod";
import { threadId } from "../parsing/keys.js";
import { abortSignal } from "../parsing/parse-call-options.js";
import { parse } from "../parsing/parse.js";

/** A lock that an enclosing `withThreadLock` call of the running code has acquired. */
interface EnclosingLock {
  readonly locks: Locks;
  readonly key: bigint;
  readonly outer: EnclosingLock | undefined;
  /** Whether the function has ended. A task that it did not await may still run after that. */
  hasEnded: boolean;
}

const current = new AsyncLocalStorage<EnclosingLock>();

/**
 * Runs a function under the lock of a thread, which one call in one process holds at a time.
 *
 * @param parse - Called before this function returns. A refused argument counts as a failed call.
 * @returns The result of the function.
 * @throws ThreadLockedError when the wait has reached its limit.
 * @throws ThreadLockLostError, after the function has ended, when the connection of the lock died meanwhile.
 * @throws InvalidConfigError on a passed-in transaction, and for a thread that the caller has locked already.
 * @throws AbortError when the signal ended the wait.
 */
export async function withThreadLock<T>(call: CallContext, parse: () => ThreadLockRequest<T>): Promise<T> {
  const { locks } = call.database;
  const outer = current.getStore();
  // Only acquiring the lock is observed as this call. Calls that the function makes are observed by themselves.
  const held = await runCall(
    call,
    saverOperations.withThreadLock,
    async ({ observer, progress, database, schema, policy }) => {
      const request = parse();
      const { threadId, waitMs, signal } = request;
      progress?.about({ threadId });
      refuseUnlockable(database);
      // A lock of its own, since writers take another lock of the thread: the function may write on another connection.
      const key = advisoryKey("run", schema, threadId);
      refuseNested(outer, locks, key, threadId);
      const lock = await locks.acquire(key, { waitMs, signal, retry: policy.retry, observer });
      if (lock === undefined) throw new ThreadLockedError(threadId, waitMs);
      return { ...request, key, lock };
    },
  );
  const { threadId, signal, run, key, lock } = held;
  const reportLoss = (cause: unknown): void => {
    call.telemetry?.report("warn", "the lock of a thread was lost", { error: cause, threadId });
  };
  // The session that tells of the loss serves the locks of several callers.
  const stopListening = onAbort(lock.lost, AsyncResource.bind(reportLoss));
  const enclosing: EnclosingLock = { locks, key, outer, hasEnded: false };
  return current
    .run(enclosing, () => runLocked({ threadId, lock, enclosing, signal, run }))
    .finally(stopListening);
}

/** Refuses a database whose connections can't hold the lock. */
function refuseUnlockable({ kysely, closed }: CallContext["database"]): void {
  if (kysely.isTransaction) {
    throw new InvalidConfigError(
      "source",
      "withThreadLock can't run on a transaction, since the lock would end with the transaction",
    );
  }
  if (closed) throw new ConnectionError("the database has been closed", { transient: false });
}

/** Refuses a call that would wait for a lock of its own caller, and so never return. */
function refuseNested(
  enclosing: EnclosingLock | undefined,
  locks: Locks,
  key: bigint,
  threadId: string,
): void {
  if (enclosing === undefined) return;
  if (enclosing.locks === locks && enclosing.key === key && !enclosing.hasEnded) {
    throw new InvalidConfigError("threadId", `thread "${threadId}" is already locked by the caller`, {
      threadId,
    });
  }
  refuseNested(enclosing.outer, locks, key, threadId);
}

interface Locked<T> {
  readonly threadId: string;
  readonly lock: HeldLock;
  readonly enclosing: EnclosingLock;
  readonly signal: AbortSignal | undefined;
  readonly run: LockedRun<T>;
}

async function runLocked<T>({ threadId, lock, enclosing, signal, run }: Locked<T>): Promise<T> {
  const ending = new AbortController();
  let loss: ThreadLockLostError | undefined;
  const stops = [
    onAbort(
      lock.lost,
      AsyncResource.bind((cause: unknown) => {
        loss = new ThreadLockLostError(threadId, { cause });
        ending.abort(loss);
      }),
    ),
    onAbort(signal, (reason) => {
      ending.abort(reason);
    }),
  ];
  const [outcome] = await Promise.allSettled([runAsync(run, ending.signal)]);
  enclosing.hasEnded = true;
  for (const stop of stops) stop();
  const [release] = await Promise.allSettled([lock.release()]);

  if (outcome.status === "rejected") {
    if (loss === undefined || outcome.reason === loss) throw outcome.reason;
    throw new ThreadLockLostError(threadId, { cause: outcome.reason });
  }
  if (loss !== undefined) throw loss;
  if (release.status === "rejected") throw new ThreadLockLostError(threadId, { cause: release.reason });
  return outcome.value;
}

/** Turns an error that the function throws at once into a rejection. */
async function runAsync<T>(run: LockedRun<T>, signal: AbortSignal): Promise<T> {
  return run({ signal });
}

/** The options of `withThreadLock`. */
export interface ThreadLockOptions {
  /** The longest wait for a lock that another run holds, in milliseconds. `0` tries once. Default: no limit. */
  readonly waitMs?: number | undefined;
  /** Ends the wait when it aborts. It also aborts the signal that the function receives. */
  readonly signal?: AbortSignal | undefined;
}

/** The argument of a function that runs under the lock of a thread. */
export interface ThreadLock {
  /**
   * Aborts when the lock is lost because its connection died, and when the caller's signal aborts. Pass it to long-running
   * work, so that the work stops.
   */
  readonly signal: AbortSignal;
}

/** The function that runs under the lock of a thread. */
export type LockedRun<T> = (lock: ThreadLock) => Promise<T> | T;

/** The parsed arguments of `withThreadLock`. */
interface ThreadLockRequest<T> {
  readonly threadId: string;
  readonly run: LockedRun<T>;
  readonly waitMs: number;
  readonly signal?: AbortSignal | undefined;
}

const options = z
  .strictObject({
    waitMs: z.union([z.number().min(0), z.literal(Infinity)]).optional(),
    signal: abortSignal.optional(),
  })
  .nullish();

/** Parses the arguments of `withThreadLock`. */
export function parseThreadLock<T>(thread: unknown, run: LockedRun<T>, given: unknown): ThreadLockRequest<T> {
  const id = parse(threadId, thread, "threadId");
  if (typeof (run as unknown) !== "function") throw new InvalidConfigError("run", "must be a function");
  const { waitMs = Infinity, signal } = parse(options, given, "options") ?? {};
  return { threadId: id, run, waitMs, signal };
}
