import type { CheckpointErrorCode } from "./checkpoint-error-code.js";

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
