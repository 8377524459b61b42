/** Where an error happened. Fields that were unknown where the error was thrown are `undefined`. */
export interface ErrorLocation {
  /** The thread, `configurable.thread_id`. */
  readonly threadId?: string | undefined;
  /** The namespace, `configurable.checkpoint_ns`; `""` is the root graph. */
  readonly checkpointNs?: string | undefined;
  /** The checkpoint, `configurable.checkpoint_id`. */
  readonly checkpointId?: string | undefined;
  /** The channel whose value could not be written or read. */
  readonly channel?: string | undefined;
  /** The version of the channel's value. */
  readonly version?: string | undefined;
}

/** Options of every {@link CheckpointError}. */
export interface CheckpointErrorOptions extends ErrorLocation {
  /** The error that caused this one. */
  readonly cause?: unknown;
}

/**
 * The base class of every error that this library throws on purpose.
 *
 * Distinguish errors by `instanceof` or by {@link CheckpointError.code}, which is stable across versions. The
 * text of `message` is for people and may change. An application that loads this package by both `import` and
 * `require` has two copies of each class, and `instanceof` recognizes only one of them: use the code there.
 *
 * @example
 * ```ts
 * try {
 *   await saver.put(config, checkpoint, metadata, newVersions);
 * } catch (error) {
 *   if (error instanceof CheckpointError) log.warn({ code: error.code, thread: error.threadId }, error.message);
 *   else throw error;
 * }
 * ```
 */
export class CheckpointError extends Error implements ErrorLocation {
  // Written out in each class, because bundlers shorten the names of classes.
  override name = "CheckpointError";
  /** A stable, machine-readable name for the kind of error. */
  readonly code: CheckpointErrorCode;
  readonly threadId: string | undefined;
  readonly checkpointNs: string | undefined;
  readonly checkpointId: string | undefined;
  readonly channel: string | undefined;

  constructor(code: CheckpointErrorCode, message: string, options: CheckpointErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.threadId = options.threadId;
    this.checkpointNs = options.checkpointNs;
    this.checkpointId = options.checkpointId;
    this.channel = options.channel;
  }
}

/**
 * The codes of all errors of this library. Each code stands for one kind of error, and stays the same across versions; a later version may
 * have more.
 *
 * Codes without a class of their own:
 *
 * - `BATCH_ENDED`: a call on a batch whose function had returned. Await all calls inside of the function
 * - `ITEM_NOT_FOUND`: on the command line, the store has no such item, or it has expired. `store search` lists the items of a namespace
 * - `OUTPUT_FAILED`: the command line can't write its output. Free the disk, or choose another file
 *
 * @example
 * ```ts
 * const retried: ReadonlySet<CheckpointErrorCode> = new Set(["CONNECTION_FAILED", "THREAD_LOCKED"]); // a typo does not compile
 * ```
 */
export type CheckpointErrorCode =
  | "ABORTED"
  | "ARCHIVE_FAILED"
  | "BACKUP_REFUSED"
  | "BATCH_ENDED"
  | "BROKEN_CHAIN"
  | "CHECKPOINT_NOT_FOUND"
  | "CHECKPOINT_SCHEMA"
  | "CHECKPOINT_TOO_LARGE"
  | "CHECKPOINT_VERSION"
  | "CLOCK_BEHIND"
  | "CLOSED_PIPE"
  | "CONCURRENT_MODIFICATION"
  | "CONNECTION_FAILED"
  | "CONVERSATION_NOT_FOUND"
  | "COPY_FAILED"
  | "CORRUPT_CHECKPOINT"
  | "DATABASE_ERROR"
  | "DESERIALIZATION_FAILED"
  | "DISK_FULL"
  | "EMBEDDING_MISMATCH"
  | "INCOMPATIBLE_TABLES"
  | "INVALID_CONFIG"
  | "INVALID_EMBEDDING"
  | "ITEM_NOT_FOUND"
  | "ITEM_SCHEMA"
  | "MIGRATION_FAILED"
  | "MIGRATION_REQUIRED"
  | "MISSING_PARENTS"
  | "MODEL_TOO_SLOW"
  | "NOT_REPLICATED"
  | "OUTPUT_FAILED"
  | "PERMISSION_DENIED"
  | "READ_ONLY"
  | "ROWS_HIDDEN"
  | "ROW_SECURITY_INACTIVE"
  | "SERIALIZATION_FAILED"
  | "STATEMENT_CANCELLED"
  | "STATEMENT_TIMEOUT"
  | "THREAD_COPY_FAILED"
  | "THREAD_DELETED"
  | "THREAD_EXISTS"
  | "THREAD_LOCKED"
  | "THREAD_LOCK_LOST"
  | "VECTORS_CHANGED"
  | "VECTOR_EXTENSION_MISSING"
  | "VERSION_CONFLICT"
  | "WRITES_MISSING";

/**
 * An argument of a method or an option of a constructor can't be used; `field` names it. Nothing was sent.
 *
 * @remarks Correct it.
 *
 * @example
 * ```ts
 * await saver.listThreads({ limit: -1 }); // InvalidConfigError, field "options.limit"
 * ```
 */
export class InvalidConfigError extends CheckpointError {
  override name = "InvalidConfigError";
  /** The dotted path of the argument, such as `configurable.thread_id`. */
  readonly field: string;

  constructor(field: string, problem: string, options: CheckpointErrorOptions = {}) {
    super("INVALID_CONFIG", `${field}: ${problem}`, options);
    this.field = field;
  }
}

/**
 * The `AbortSignal` of the call was aborted; `cause` is the signal's reason. Its name is `AbortError`, which programs check for.
 *
 * The server cancels what it has not finished. Only if it no longer answers may a write have been stored nevertheless. A write that was
 * stored, but whose wait for a synchronous standby was cancelled, fails with `NotReplicatedError` instead.
 *
 * @remarks None is needed. A write may have been stored if the server did not answer.
 *
 * @example
 * ```ts
 * const tuple = await saver.getTuple(config, { signal: AbortSignal.timeout(500) }); // AbortError after half a second
 * ```
 */
export class AbortError extends CheckpointError {
  override name = "AbortError";
  constructor(options: CheckpointErrorOptions = {}) {
    super("ABORTED", "the call was aborted", options);
  }
}
