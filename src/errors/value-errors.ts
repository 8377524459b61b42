import { CheckpointError, type CheckpointErrorOptions, type ErrorLocation } from "./checkpoint-error.js";

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
