import { z } from "zod";
import { InvalidConfigError } from "../../errors/index.js";
import { threadId } from "../../parsing/keys.js";
import { abortSignal } from "../../parsing/parse-call-options.js";
import { parse } from "../../parsing/parse.js";

/** How `withThreadLock` waits. */
export interface ThreadLockOptions {
  /** How long to wait at most while another run has the thread, in milliseconds; `0` tries once. Default: no limit. */
  readonly waitMs?: number | undefined;
  /** Ends the wait; and is passed on to the function, together with the loss of the lock. */
  readonly signal?: AbortSignal | undefined;
}

/** What a function is told that runs under the lock of a thread. */
export interface ThreadLock {
  /**
   * Aborts when the lock is lost since its connection died, and when the signal of the caller aborts. Hand it to
   * whatever goes on for long, so that it stops.
   */
  readonly signal: AbortSignal;
}

/** What runs while the thread is locked. */
export type LockedRun<T> = (lock: ThreadLock) => Promise<T> | T;

/** A call of `withThreadLock`. */
export interface ThreadLockRequest<T> {
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

/** The arguments of `withThreadLock`. */
export function parseThreadLock<T>(thread: unknown, run: LockedRun<T>, given: unknown): ThreadLockRequest<T> {
  const id = parse(threadId, thread, "threadId");
  if (typeof (run as unknown) !== "function") throw new InvalidConfigError("run", "must be a function");
  const { waitMs = Infinity, signal } = parse(options, given, "options") ?? {};
  return { threadId: id, run, waitMs, signal };
}
