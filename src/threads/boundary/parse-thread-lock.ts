import { z } from "zod";
import { InvalidConfigError } from "../../errors/index.js";
import { threadId } from "../../parsing/keys.js";
import { abortSignal } from "../../parsing/parse-call-options.js";
import { parse } from "../../parsing/parse.js";

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

/** Parses the arguments of `withThreadLock`. */
export function parseThreadLock<T>(thread: unknown, run: LockedRun<T>, given: unknown): ThreadLockRequest<T> {
  const id = parse(threadId, thread, "threadId");
  if (typeof (run as unknown) !== "function") throw new InvalidConfigError("run", "must be a function");
  const { waitMs = Infinity, signal } = parse(options, given, "options") ?? {};
  return { threadId: id, run, waitMs, signal };
}
