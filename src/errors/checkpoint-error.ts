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
 * the text of `message` is for people and may change. An application that has loaded this package by `import` and by
 * `require` has two copies of each class, and `instanceof` knows one of them: there use the code.
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
