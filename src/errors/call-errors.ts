import { CheckpointError, type CheckpointErrorOptions } from "./checkpoint-error.js";

/**
 * An invalid argument of a method or an invalid option of a constructor. Thrown before any I/O.
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
 * The `AbortSignal` of the call was aborted; `cause` is the signal's reason. Its name is `AbortError`, which
 * programs check for.
 *
 * The server cancels what it has not finished. Only if it no longer answers may a write have been stored
 * nevertheless. A write that was stored, but whose wait for a synchronous standby was cancelled, fails with
 * `NotReplicatedError` instead.
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
