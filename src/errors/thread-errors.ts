import { CheckpointError, type CheckpointErrorOptions, type ErrorLocation } from "./checkpoint-error.js";

/** What a {@link ConcurrentModificationError} is built from. */
export interface ConcurrentModification extends ErrorLocation {
  /** The checkpoint that was to be followed; `undefined` where the put named none. */
  readonly parentCheckpointId: string | undefined;
  /** The checkpoint that is the newest instead. */
  readonly headCheckpointId: string;
}

/**
 * Somebody else has gone on with the thread: the checkpoint that was to be followed is no longer the newest of its
 * namespace. Only savers with `concurrency: "optimistic"` throw it, and nothing was stored. Read the thread anew and
 * decide; to branch off on purpose, put a checkpoint whose metadata has the source `fork` or `update`, as `updateState`
 * does: `graph.invoke(input, await graph.updateState(past, null))` gives new input to a past state.
 *
 * @example
 * ```ts
 * try {
 *   await graph.invoke(input, config);
 * } catch (error) {
 *   if (error instanceof ConcurrentModificationError) return retryLater(error.threadId);
 *   throw error;
 * }
 * ```
 */
export class ConcurrentModificationError extends CheckpointError {
  /** The checkpoint that was to be followed; `undefined` where the put named none. */
  readonly parentCheckpointId: string | undefined;
  /** The checkpoint that is the newest instead. */
  readonly headCheckpointId: string;

  constructor({ parentCheckpointId, headCheckpointId, ...location }: ConcurrentModification) {
    const parent = parentCheckpointId === undefined ? "no checkpoint" : `checkpoint "${parentCheckpointId}"`;
    const problem =
      parentCheckpointId === headCheckpointId
        ? `its id "${location.checkpointId ?? ""}" is older: by a clock that is behind`
        : `the newest is checkpoint "${headCheckpointId}" by now`;
    super(
      "CONCURRENT_MODIFICATION",
      `thread "${location.threadId ?? ""}": the put follows ${parent}, but ${problem}`,
      location,
    );
    this.parentCheckpointId = parentCheckpointId;
    this.headCheckpointId = headCheckpointId;
  }
}

/**
 * A write to a thread that was deleted, by a saver with `keepTombstones`: it came too late, and nothing was stored.
 *
 * @example
 * ```ts
 * await saver.deleteThread("42");
 * await saver.putWrites(config, writes, taskId); // ThreadDeletedError, if config is of thread "42"
 * ```
 */
export class ThreadDeletedError extends CheckpointError {
  /** When the thread was deleted, by the clock of the database. */
  readonly deletedAt: Date;

  constructor(threadId: string, deletedAt: Date) {
    super("THREAD_DELETED", `thread "${threadId}" was deleted at ${deletedAt.toISOString()}`, { threadId });
    this.deletedAt = deletedAt;
  }
}

/**
 * A thread is locked by another run, and the wait for it is over. Nothing was run.
 *
 * @example
 * ```ts
 * try {
 *   await saver.withThreadLock("42", run, { waitMs: 0 });
 * } catch (error) {
 *   if (error instanceof ThreadLockedError) return reply(409, "the agent is still answering");
 *   throw error;
 * }
 * ```
 */
export class ThreadLockedError extends CheckpointError {
  /** How long the lock was waited for, in milliseconds. */
  readonly waitMs: number;

  constructor(threadId: string, waitMs: number, options: CheckpointErrorOptions = {}) {
    super(
      "THREAD_LOCKED",
      `thread "${threadId}" is locked by another run, for which ${waitMs} ms were waited`,
      {
        ...options,
        threadId,
      },
    );
    this.waitMs = waitMs;
  }
}

/**
 * The connection that held the lock of a thread died before the run had ended, so that another run may have begun
 * meanwhile. `cause` is what the run failed with, else what the connection died of.
 *
 * @example
 * ```ts
 * await saver.withThreadLock("42", async ({ signal }) => {
 *   await graph.invoke(input, { configurable: { thread_id: "42" }, signal }); // stops when the lock is lost
 * }); // ThreadLockLostError
 * ```
 */
export class ThreadLockLostError extends CheckpointError {
  constructor(threadId: string, options: CheckpointErrorOptions = {}) {
    super("THREAD_LOCK_LOST", `the lock of thread "${threadId}" was lost before its run had ended`, {
      ...options,
      threadId,
    });
  }
}

/**
 * A checkpoint that a call needs and that there is not: it was never stored, or has been pruned or deleted. Nothing was
 * written.
 *
 * @example
 * ```ts
 * await saver.rollback("42", "no such id"); // CheckpointNotFoundError
 * ```
 */
export class CheckpointNotFoundError extends CheckpointError {
  constructor(location: ErrorLocation) {
    const { threadId = "", checkpointNs = "", checkpointId } = location;
    const namespace = checkpointNs === "" ? "" : `, namespace "${checkpointNs}"`;
    const what = checkpointId === undefined ? "no checkpoint" : `no checkpoint "${checkpointId}"`;
    super("CHECKPOINT_NOT_FOUND", `thread "${threadId}"${namespace}: there is ${what}`, location);
  }
}

/**
 * A thread that another was to be copied to, and that has gone on by itself: it has a checkpoint that the other has not.
 * Nothing was written.
 *
 * @example
 * ```ts
 * await saver.copyThread("41", "42"); // ThreadExistsError, if "42" is another conversation
 * ```
 */
export class ThreadExistsError extends CheckpointError {
  constructor(source: string, target: Required<Pick<ErrorLocation, "threadId" | "checkpointId">>) {
    super(
      "THREAD_EXISTS",
      `thread "${target.threadId ?? ""}" has checkpoint "${target.checkpointId ?? ""}", which thread "${source}" has not`,
      target,
    );
  }
}
