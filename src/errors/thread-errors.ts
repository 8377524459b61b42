import { CheckpointError, type CheckpointErrorOptions, type ErrorLocation } from "./checkpoint-error.js";

/** Options of a {@link ConcurrentModificationError}. */
export interface ConcurrentModification extends ErrorLocation {
  /** The parent that the put names; `undefined` where it names none. */
  readonly parentCheckpointId: string | undefined;
  /** The newest checkpoint of the namespace. */
  readonly headCheckpointId: string;
}

/**
 * With `concurrency: "optimistic"`: another writer has continued the thread, so that the parent of the new checkpoint is no longer the
 * newest checkpoint of its namespace. Nothing was stored.
 *
 * To branch on purpose, put a checkpoint whose metadata has the source `fork` or `update`, as `updateState` does:
 * `graph.invoke(input, await graph.updateState(past, null))` continues a past state with new input.
 *
 * @remarks Read the thread again and decide, or fork.
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
  override name = "ConcurrentModificationError";
  /** The parent that the put names; `undefined` where it names none. */
  readonly parentCheckpointId: string | undefined;
  /** The newest checkpoint of the namespace. */
  readonly headCheckpointId: string;

  constructor({ parentCheckpointId, headCheckpointId, ...location }: ConcurrentModification) {
    const parent = parentCheckpointId === undefined ? "no checkpoint" : `checkpoint "${parentCheckpointId}"`;
    const problem =
      parentCheckpointId === headCheckpointId
        ? `its id "${location.checkpointId ?? ""}" is older, from a clock that is behind`
        : `the newest checkpoint is now "${headCheckpointId}"`;
    super(
      "CONCURRENT_MODIFICATION",
      `thread "${location.threadId ?? ""}": the put follows ${parent}, but ${problem}`,
      location,
    );
    this.parentCheckpointId = parentCheckpointId;
    this.headCheckpointId = headCheckpointId;
  }
}

/** Options of a {@link ClockBehindError}. */
export interface ClockBehind extends ErrorLocation {
  /** How far the clock of this machine is behind at least, in milliseconds. */
  readonly behindMs: number;
}

/**
 * The clock of this machine is behind that of the machine that stored the newest checkpoint, by `behindMs` at least. Nothing was stored.
 *
 * LangGraph makes the ids of checkpoints from the clock, and the newest checkpoint is the one with the greatest id. So the checkpoint of a
 * run would be stored, but never be the newest one: no later run would see it.
 *
 * A read of the newest checkpoint throws it where the clock is behind by more than `maxClockWaitMs`, and a `put` where the id of the
 * checkpoint is older than that of its parent, or where a saver with `keepLast` would delete the checkpoint at once. Savers with
 * `clockBehind: "warn"` warn instead.
 *
 * @remarks Synchronize the clocks of all machines by NTP. `doctor` on each finds the wrong one.
 *
 * @example
 * ```ts
 * try {
 *   await graph.invoke(input, config);
 * } catch (error) {
 *   if (error instanceof ClockBehindError) alert(`the clock is ${error.behindMs} ms behind`);
 *   throw error;
 * }
 * ```
 */
export class ClockBehindError extends CheckpointError {
  override name = "ClockBehindError";
  /** How far the clock of this machine is behind at least, in milliseconds. */
  readonly behindMs: number;

  constructor(message: string, { behindMs, ...location }: ClockBehind) {
    super("CLOCK_BEHIND", message, location);
    this.behindMs = behindMs;
  }
}

/**
 * A write to a thread that was deleted at `deletedAt`, by a saver with `keepTombstones`. Nothing was stored.
 *
 * @remarks Stop the run, or call `liftTombstones`.
 *
 * @example
 * ```ts
 * await saver.deleteThread("42");
 * await saver.putWrites(config, writes, taskId); // ThreadDeletedError, if config is of thread "42"
 * ```
 */
export class ThreadDeletedError extends CheckpointError {
  override name = "ThreadDeletedError";
  /** When the thread was deleted, by the clock of the database. */
  readonly deletedAt: Date;

  constructor(threadId: string, deletedAt: Date) {
    super("THREAD_DELETED", `thread "${threadId}" was deleted at ${deletedAt.toISOString()}`, { threadId });
    this.deletedAt = deletedAt;
  }
}

/**
 * Another caller of `withThreadLock` has the lock of the thread, and `waitMs` is over. Your function was not called.
 *
 * @remarks Try later, or raise `waitMs`.
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
  override name = "ThreadLockedError";
  /** How long the call waited for the lock, in milliseconds. */
  readonly waitMs: number;

  constructor(threadId: string, waitMs: number, options: CheckpointErrorOptions = {}) {
    super("THREAD_LOCKED", `thread "${threadId}" is locked by another run (waited ${waitMs} ms)`, {
      ...options,
      threadId,
    });
    this.waitMs = waitMs;
  }
}

/**
 * The connection that held the lock of a thread died before the run ended, so that another run may have started in the meantime. `cause`
 * is the error of the run, if it failed, else that of the connection.
 *
 * @remarks Check what another run did meanwhile. Pass `signal` to the run.
 *
 * @example
 * ```ts
 * await saver.withThreadLock("42", async ({ signal }) => {
 *   await graph.invoke(input, { configurable: { thread_id: "42" }, signal }); // stops when the lock is lost
 * }); // ThreadLockLostError
 * ```
 */
export class ThreadLockLostError extends CheckpointError {
  override name = "ThreadLockLostError";
  constructor(threadId: string, options: CheckpointErrorOptions = {}) {
    super("THREAD_LOCK_LOST", `the lock of thread "${threadId}" was lost before its run ended`, {
      ...options,
      threadId,
    });
  }
}

/**
 * A checkpoint that the call needs does not exist: it was never stored, or has been pruned or deleted. Nothing was written.
 *
 * @remarks `history` lists the checkpoints that exist.
 *
 * @example
 * ```ts
 * await saver.rollback("42", "no such id"); // CheckpointNotFoundError
 * ```
 */
export class CheckpointNotFoundError extends CheckpointError {
  override name = "CheckpointNotFoundError";
  constructor(location: ErrorLocation) {
    super("CHECKPOINT_NOT_FOUND", problemOf(location), location);
  }
}

function problemOf({ threadId, checkpointNs = "", checkpointId }: ErrorLocation): string {
  // A checkpoint store finds checkpoints by their ids alone.
  if (threadId === undefined && checkpointId !== undefined) return `checkpoint not found: ${checkpointId}`;
  const namespace = checkpointNs === "" ? "" : `, namespace "${checkpointNs}"`;
  const thread = `thread "${threadId ?? ""}"${namespace}`;
  return checkpointId === undefined
    ? `${thread} has no checkpoint`
    : `${thread}: checkpoint "${checkpointId}" does not exist`;
}

/**
 * The target of a copy has continued on its own: it has a checkpoint that the source lacks. Nothing was written.
 *
 * @remarks Choose another target, or delete it first.
 *
 * @example
 * ```ts
 * await saver.copyThread("41", "42"); // ThreadExistsError, if "42" is another conversation
 * ```
 */
export class ThreadExistsError extends CheckpointError {
  override name = "ThreadExistsError";
  constructor(source: string, target: Required<Pick<ErrorLocation, "threadId" | "checkpointId">>) {
    super(
      "THREAD_EXISTS",
      `thread "${target.threadId ?? ""}" has checkpoint "${target.checkpointId ?? ""}", which thread "${source}" lacks`,
      target,
    );
  }
}
