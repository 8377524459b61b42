/**
 * Where an error happened. Every field is optional: an error carries what was known at the place that threw it.
 */
export interface ErrorLocation {
  /** The thread, `configurable.thread_id`. */
  readonly threadId?: string | undefined;
  /** The namespace, `configurable.checkpoint_ns`; `""` is the root graph. */
  readonly checkpointNs?: string | undefined;
  /** The checkpoint, `configurable.checkpoint_id`. */
  readonly checkpointId?: string | undefined;
  /** The channel whose value could not be written or read. */
  readonly channel?: string | undefined;
}

/** What every {@link CheckpointError} is built from. */
export interface CheckpointErrorOptions extends ErrorLocation {
  /** The error that led to this one. */
  readonly cause?: unknown;
}

/**
 * The class of every error that this library throws on purpose.
 *
 * Tell errors apart by `instanceof` or by {@link CheckpointError.code}, which is stable across versions;
 * the text of `message` is for people and may change.
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
  /** A stable, machine-readable name for the kind of error. */
  readonly code: string;
  readonly threadId: string | undefined;
  readonly checkpointNs: string | undefined;
  readonly checkpointId: string | undefined;
  readonly channel: string | undefined;

  constructor(code: string, message: string, options: CheckpointErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.threadId = options.threadId;
    this.checkpointNs = options.checkpointNs;
    this.checkpointId = options.checkpointId;
    this.channel = options.channel;
  }
}

/**
 * An argument of a saver's method, or an option of its constructor, that can't be used. Thrown before any I/O.
 *
 * @example
 * ```ts
 * await saver.deleteThread(""); // InvalidConfigError, field "threadId"
 * ```
 */
export class InvalidConfigError extends CheckpointError {
  /** The dotted path of the argument, such as `configurable.thread_id`. */
  readonly field: string;

  constructor(field: string, problem: string, options: CheckpointErrorOptions = {}) {
    super("INVALID_CONFIG", `${field}: ${problem}`, options);
    this.field = field;
  }
}

/**
 * A value that can't be stored so that it reads back equal: a function, an instance of an unknown class, a cycle.
 * Thrown before anything is written.
 */
export class SerializationError extends CheckpointError {
  /** Where in the value the culprit is, such as `messages[3].kwargs.onDone`; empty for the value itself. */
  readonly path: string;
  /** What is wrong with the value there, without the place. */
  readonly problem: string;

  constructor(path: string, problem: string, options: CheckpointErrorOptions = {}) {
    const channel = options.channel === undefined ? "" : `channel "${options.channel}"`;
    const place = [channel, path === "" ? "" : `at ${path}`].filter((part) => part !== "").join(" ");
    super("SERIALIZATION_FAILED", place === "" ? problem : `${place}: ${problem}`, options);
    this.path = path;
    this.problem = problem;
  }

  /** The same error, naming the place in the database that the value was meant for. */
  at(location: ErrorLocation): SerializationError {
    return new SerializationError(this.path, this.problem, { ...location, cause: this.cause });
  }
}

/** What a {@link CheckpointTooLargeError} is built from. */
export interface CheckpointTooLargeErrorOptions extends CheckpointErrorOptions {
  /** What the call would have stored, in bytes. */
  readonly bytes: number;
  /** What it may store, in bytes. */
  readonly maxBytes: number;
}

/**
 * A call that would store more than the saver's option `maxCheckpointBytes` allows. Thrown before anything is sent.
 * `channel` is the one with the most bytes; `message` names the three largest.
 *
 * @example
 * ```ts
 * if (error instanceof CheckpointTooLargeError) await trim(error.threadId, error.channel, error.bytes - error.maxBytes);
 * ```
 */
export class CheckpointTooLargeError extends CheckpointError {
  /** What the call would have stored, in bytes: header, metadata and values as they are encoded. */
  readonly bytes: number;
  /** What it may store, in bytes. */
  readonly maxBytes: number;

  constructor(message: string, options: CheckpointTooLargeErrorOptions) {
    super("CHECKPOINT_TOO_LARGE", message, options);
    this.bytes = options.bytes;
    this.maxBytes = options.maxBytes;
  }
}

/** Stored bytes that can't be turned back into a value: corrupt, encrypted, pickled, or of an unknown type. */
export class DeserializationError extends CheckpointError {
  /** What is wrong with the bytes, without the place. */
  readonly problem: string;
  /** The type tag that was stored beside the bytes. */
  readonly typeTag: string | undefined;

  constructor(
    problem: string,
    options: CheckpointErrorOptions & { readonly typeTag?: string | undefined } = {},
  ) {
    const place = [
      options.threadId === undefined ? "" : `thread "${options.threadId}"`,
      options.checkpointId === undefined ? "" : `checkpoint "${options.checkpointId}"`,
      options.channel === undefined ? "" : `channel "${options.channel}"`,
    ].filter((part) => part !== "");
    super(
      "DESERIALIZATION_FAILED",
      place.length === 0 ? problem : `${place.join(", ")}: ${problem}`,
      options,
    );
    this.problem = problem;
    this.typeTag = options.typeTag;
  }

  /** The same error, naming the row that the bytes were read from. */
  at(location: ErrorLocation): DeserializationError {
    return new DeserializationError(this.problem, { ...location, typeTag: this.typeTag, cause: this.cause });
  }
}

/**
 * The `AbortSignal` of a call has ended it; `cause` is the signal's reason. It carries the name that programs look for,
 * `AbortError`.
 *
 * What the server had not finished was cancelled there. Only where it did not answer any more may a write have been
 * stored all the same.
 *
 * @example
 * ```ts
 * const tuple = await saver.getTuple(config, { signal: AbortSignal.timeout(500) }); // AbortError after half a second
 * ```
 */
export class AbortError extends CheckpointError {
  constructor(options: CheckpointErrorOptions = {}) {
    super("ABORTED", "the call was aborted", options);
  }
}

/** A row that does not have the shape of a checkpoint: the table was edited by hand, or is another program's. */
export class CorruptCheckpointError extends CheckpointError {
  constructor(problem: string, options: CheckpointErrorOptions = {}) {
    const place = [
      options.threadId === undefined ? "" : `thread "${options.threadId}"`,
      options.checkpointId === undefined ? "" : `checkpoint "${options.checkpointId}"`,
    ].filter((part) => part !== "");
    super("CORRUPT_CHECKPOINT", [...place, problem].join(": "), options);
  }
}

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

/** What a {@link DatabaseError} is built from. */
export interface DatabaseErrorOptions extends CheckpointErrorOptions {
  /** The five-character SQLSTATE, where the server sent one. */
  readonly sqlState?: string | undefined;
  /** Whether the same call may succeed if it is made again. */
  readonly transient?: boolean;
}

/**
 * The database refused or did not answer. `cause` is the driver's own error.
 *
 * A transient one (connection lost, server restarting, deadlock, serialization failure) has been retried within the
 * bound of the saver's `retry` option before it is thrown.
 */
export class DatabaseError extends CheckpointError {
  /** The five-character SQLSTATE, where the server sent one. */
  readonly sqlState: string | undefined;
  /** Whether the same call may succeed if it is made again. */
  readonly transient: boolean;

  constructor(message: string, options: DatabaseErrorOptions = {}, code = "DATABASE_ERROR") {
    super(code, message, options);
    this.sqlState = options.sqlState;
    this.transient = options.transient ?? false;
  }
}

/** The connection could not be made or was lost: the server is down, restarting, or out of reach. */
export class ConnectionError extends DatabaseError {
  constructor(message: string, options: DatabaseErrorOptions = {}) {
    super(message, { transient: true, ...options }, "CONNECTION_FAILED");
  }
}

/**
 * A statement took longer than the saver's `statementTimeoutMs`, and the server has cancelled it: nothing of it was
 * stored. It is not tried again, since it would most likely take as long.
 */
export class StatementTimeoutError extends DatabaseError {
  /** How long it was allowed to take, in milliseconds. */
  readonly timeoutMs: number;

  constructor(timeoutMs: number, options: DatabaseErrorOptions = {}) {
    super(
      `the statement took longer than ${timeoutMs} ms and was cancelled`,
      { sqlState: "57014", ...options },
      "STATEMENT_TIMEOUT",
    );
    this.timeoutMs = timeoutMs;
  }
}

/** The role that the saver connects with lacks a privilege. */
export class PermissionError extends DatabaseError {
  constructor(message: string, options: DatabaseErrorOptions = {}) {
    super(message, options, "PERMISSION_DENIED");
  }
}

/**
 * A saver with `tenantId` on a database that does not keep tenants apart for its role: row-level security is not active on
 * the tables. Nothing was read or written.
 */
export class RowSecurityError extends DatabaseError {
  /** The tables that every tenant would see all rows of. */
  readonly tables: readonly string[];

  constructor(schema: string, tables: readonly string[], options: DatabaseErrorOptions = {}) {
    const names = tables.map((table) => `"${schema}"."${table}"`).join(", ");
    super(
      `row-level security is not active for this role on ${names}: superusers, the owner of a table and roles with ` +
        "BYPASSRLS are not bound by it",
      options,
      "ROW_SECURITY_INACTIVE",
    );
    this.tables = tables;
  }
}

/** The tables are missing or older than this version of the library; the message says which command to run. */
export class MigrationRequiredError extends DatabaseError {
  /** The schema that is behind. */
  readonly schema: string;
  /** The steps that have not run there, oldest first; empty where that could not be told. */
  readonly pending: readonly string[];

  constructor(
    schema: string,
    message: string,
    options: DatabaseErrorOptions & { readonly pending?: readonly string[] } = {},
  ) {
    super(message, options, "MIGRATION_REQUIRED");
    this.schema = schema;
    this.pending = options.pending ?? [];
  }
}

/** A migration step failed, or can't be undone without losing data. Nothing of the run was kept. */
export class MigrationError extends DatabaseError {
  /** The step that failed, where one had begun. */
  readonly step: string | undefined;

  constructor(message: string, options: DatabaseErrorOptions & { readonly step?: string | undefined } = {}) {
    super(message, options, "MIGRATION_FAILED");
    this.step = options.step;
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
