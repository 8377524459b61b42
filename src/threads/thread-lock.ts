import { AsyncLocalStorage } from "node:async_hooks";
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
import { runCall } from "../saver/call/run-call.js";
import type { LockedRun, ThreadLockRequest } from "./boundary/parse-thread-lock.js";

/** A lock that the code which runs now has been called under, in this or an outer call. */
interface Holding {
  readonly locks: Locks;
  readonly key: bigint;
  readonly outer: Holding | undefined;
  /** A task that the function left behind goes on under its name after the lock was released. */
  hasEnded: boolean;
}

const current = /* @__PURE__ */ new AsyncLocalStorage<Holding>();

/**
 * Runs a function while nobody else, in whatever process, has the lock of the thread.
 *
 * @returns What the function returned.
 * @throws ThreadLockedError when the wait is over.
 * @throws ThreadLockLostError, once the function has ended, when its connection died meanwhile.
 * @throws InvalidConfigError in a transaction that was lent, and for a thread that the caller has locked itself.
 * @throws AbortError when the signal ended the wait.
 */
export async function withThreadLock<T>(
  call: CallContext,
  { threadId, waitMs, signal, run }: ThreadLockRequest<T>,
): Promise<T> {
  const { database, schema, policy } = call;
  if (database.kysely.isTransaction) {
    throw new InvalidConfigError(
      "source",
      "a transaction can't lock a thread, since the lock would end with it",
    );
  }
  if (database.closed) throw new ConnectionError("the database has been closed", { transient: false });
  const { locks } = database;
  // Not the lock that a write may take of its thread: the function that has this one writes, on another connection.
  const key = advisoryKey("run", schema, threadId);
  const outer = current.getStore();
  refuseOwn(outer, locks, key, threadId);

  // What runs under the lock are calls of their own.
  const lock = await runCall(call, "withThreadLock", async ({ observer }) => {
    observer?.about({ threadId });
    const wait = {
      deadline: performance.now() + waitMs,
      signal,
      retry: policy.retry,
      ...(observer && { onRetry: observer.retrying.bind(observer) }),
    };
    const acquired = await locks.acquire(key, wait);
    if (acquired === undefined) throw new ThreadLockedError(threadId, waitMs);
    return acquired;
  });
  const stopListening = onAbort(lock.lost, (cause) => {
    call.telemetry?.lockLost(threadId, cause);
  });
  const holding: Holding = { locks, key, outer, hasEnded: false };
  return current
    .run(holding, () => runLocked({ threadId, lock, holding, signal, run }))
    .finally(stopListening);
}

/** Whoever waits for a lock that it holds itself waits for ever. */
function refuseOwn(holding: Holding | undefined, locks: Locks, key: bigint, threadId: string): void {
  if (holding === undefined) return;
  if (holding.locks === locks && holding.key === key && !holding.hasEnded) {
    throw new InvalidConfigError("threadId", `thread "${threadId}" is locked already by what calls this`, {
      threadId,
    });
  }
  refuseOwn(holding.outer, locks, key, threadId);
}

interface Locked<T> {
  readonly threadId: string;
  readonly lock: HeldLock;
  readonly holding: Holding;
  readonly signal: AbortSignal | undefined;
  readonly run: LockedRun<T>;
}

async function runLocked<T>({ threadId, lock, holding, signal, run }: Locked<T>): Promise<T> {
  const ending = new AbortController();
  let loss: ThreadLockLostError | undefined;
  const stops = [
    onAbort(lock.lost, (cause) => {
      loss = new ThreadLockLostError(threadId, { cause });
      ending.abort(loss);
    }),
    onAbort(signal, (reason) => {
      ending.abort(reason);
    }),
  ];
  const [outcome] = await Promise.allSettled([settle(run, ending.signal)]);
  holding.hasEnded = true;
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

async function settle<T>(run: LockedRun<T>, signal: AbortSignal): Promise<T> {
  return run({ signal });
}
