import { CheckpointError, type CheckpointErrorOptions } from "./checkpoint-error.js";

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
 * The `AbortSignal` of a call has ended it; `cause` is the signal's reason. It carries the name that programs look for,
 * `AbortError`.
 *
 * What the server had not finished was cancelled there. Only where it did not answer any more may a write have been
 * stored all the same. A write that was stored, but whose wait for a synchronous standby was cancelled, fails with
 * `NotReplicatedError` instead.
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
