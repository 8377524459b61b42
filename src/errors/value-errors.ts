import {
  type CheckpointErrorCode,
  CheckpointError,
  type CheckpointErrorOptions,
  type ErrorLocation,
} from "./checkpoint-error.js";

/**
 * A value can't be stored in a way that reads back equal: a function, an instance of an unknown class, a cycle. `channel` and `path` name
 * it. Nothing was written.
 *
 * @remarks Keep plain data in the state.
 */
export class SerializationError extends CheckpointError {
  override name = "SerializationError";
  /**
   * The path of the faulty part within the value, such as `messages[3].kwargs.onDone`; empty for the value
   * itself.
   */
  readonly path: string;
  /** The problem, without the place. */
  readonly problem: string;

  constructor(path: string, problem: string, options: CheckpointErrorOptions = {}) {
    const channel = options.channel === undefined ? "" : `channel "${options.channel}"`;
    const place = [channel, path === "" ? "" : `at ${path}`].filter((part) => part !== "").join(" ");
    super("SERIALIZATION_FAILED", place === "" ? problem : `${place}: ${problem}`, options);
    this.path = path;
    this.problem = problem;
  }

  /** Returns the same error with the thread, checkpoint or channel of the value. */
  at(location: ErrorLocation): SerializationError {
    return new SerializationError(this.path, this.problem, { ...location, cause: this.cause });
  }
}

/** Options of a {@link CheckpointTooLargeError}. */
export interface CheckpointTooLargeErrorOptions extends CheckpointErrorOptions {
  /** The size of what the call would have stored, in bytes. */
  readonly bytes: number;
  /** The limit, in bytes. */
  readonly maxBytes: number;
}

/**
 * The call would store more than the saver's option `maxCheckpointBytes` allows. `channel` is the one with the most bytes; `message` names
 * the three largest. Nothing was sent.
 *
 * @remarks Trim the channel that the error names, or raise the bound.
 *
 * @example
 * ```ts
 * if (error instanceof CheckpointTooLargeError) await trim(error.threadId, error.channel, error.bytes - error.maxBytes);
 * ```
 */
export class CheckpointTooLargeError extends CheckpointError {
  override name = "CheckpointTooLargeError";
  /**
   * The size of what the call would have stored, in bytes: header, metadata and values as they are encoded.
   */
  readonly bytes: number;
  /** The limit, in bytes. */
  readonly maxBytes: number;

  constructor(message: string, options: CheckpointTooLargeErrorOptions) {
    super("CHECKPOINT_TOO_LARGE", message, options);
    this.bytes = options.bytes;
    this.maxBytes = options.maxBytes;
  }
}

/** Options of {@link DeserializationError}. */
export interface DeserializationErrorOptions extends CheckpointErrorOptions {
  /** The type tag that was stored with the bytes. */
  readonly typeTag?: string | undefined;
}

/**
 * Stored bytes can't be decoded to a value: corrupt, encrypted with a key that you don't have, pickled, of an unknown type, or longer than
 * `maxDecompressedBytes`.
 *
 * @remarks Use the serializer and the keys that wrote it, or read other `channels`.
 */
export class DeserializationError extends CheckpointError {
  override name = "DeserializationError";
  /** The problem, without the place. */
  readonly problem: string;
  /** The type tag that was stored with the bytes. */
  readonly typeTag: string | undefined;
  /** The version of the channel's value. */
  readonly version: string | undefined;

  constructor(
    problem: string,
    options: DeserializationErrorOptions = {},
    code: CheckpointErrorCode = "DESERIALIZATION_FAILED",
  ) {
    super(code, problemAt(options, problem), options);
    this.problem = problem;
    this.typeTag = options.typeTag;
    this.version = options.version;
  }

  /** Returns the same error with the row that the bytes were read from. */
  at(location: ErrorLocation): DeserializationError {
    return new DeserializationError(this.problem, { ...location, typeTag: this.typeTag, cause: this.cause });
  }
}

/**
 * A value that is stored as a splice of an earlier one can't be read: a row that it is made of is missing, changed, or made of itself. It
 * is a `DeserializationError` too.
 *
 * @remarks `repair` mends it. `verify` finds such values.
 */
export class BrokenChainError extends DeserializationError {
  override name = "BrokenChainError";
  constructor(problem: string, options: DeserializationErrorOptions = {}) {
    super(problem, options, "BROKEN_CHAIN");
  }

  override at(location: ErrorLocation): BrokenChainError {
    return new BrokenChainError(this.problem, { ...location, typeTag: this.typeTag, cause: this.cause });
  }
}

/**
 * A row is not a valid checkpoint: somebody edited the table, or another program wrote it.
 *
 * @remarks `repair` mends it.
 */
export class CorruptCheckpointError extends CheckpointError {
  override name = "CorruptCheckpointError";
  /** The problem, without the place. */
  readonly problem: string;

  constructor(problem: string, options: CheckpointErrorOptions = {}) {
    const { threadId, checkpointId } = options;
    const remedy =
      threadId === undefined ? "" : "; the command `repair` shows what can be done for the thread";
    super("CORRUPT_CHECKPOINT", problemAt({ threadId, checkpointId }, problem) + remedy, options);
    this.problem = problem;
  }
}

/** Why stored rows can't be read: they are damaged, or need another serializer or key. */
export type UnreadableError = CorruptCheckpointError | DeserializationError;

/** Whether an error says that stored rows can't be read. Others may be readable. */
export function isUnreadable(error: unknown): error is UnreadableError {
  return error instanceof CorruptCheckpointError || error instanceof DeserializationError;
}

/**
 * A missing value can't be rebuilt: the writes it came from are missing as well, or may belong to another branch. Nothing was stored.
 *
 * @remarks Try `repair`, or `fork` with a value for that channel.
 *
 * @example
 * ```ts
 * if (error instanceof WritesMissingError) console.error(error.channel, error.message);
 * ```
 */
export class WritesMissingError extends CheckpointError {
  override name = "WritesMissingError";
  constructor(problem: string, location: ErrorLocation) {
    const { threadId = "", checkpointId = "", channel = "" } = location;
    super(
      "WRITES_MISSING",
      problemAt({ threadId, checkpointId, channel }, `can't be rebuilt: ${problem}`),
      location,
    );
  }
}

function problemAt({ threadId, checkpointId, channel }: ErrorLocation, problem: string): string {
  const place = [
    ...(threadId === undefined ? [] : [`thread "${threadId}"`]),
    ...(checkpointId === undefined ? [] : [`checkpoint "${checkpointId}"`]),
    ...(channel === undefined ? [] : [`channel "${channel}"`]),
  ];
  return place.length === 0 ? problem : `${place.join(", ")}: ${problem}`;
}

/** A row that can't be read. An operation over many threads leaves the thread of the row, and does the others. */
export interface Damage extends ErrorLocation {
  readonly threadId: string;
  /** Why it can't be read. A text for people, which may change between versions. */
  readonly reason: string;
}

/**
 * Describes the row that an error is about.
 *
 * @param threadId - The thread, where the error does not know it.
 */
export function damageOf(error: UnreadableError, threadId: string): Damage {
  const { checkpointNs, checkpointId, channel, problem } = error;
  const version = "version" in error ? error.version : undefined;
  return {
    threadId: error.threadId ?? threadId,
    ...(checkpointNs !== undefined && { checkpointNs }),
    ...(checkpointId !== undefined && { checkpointId }),
    ...(channel !== undefined && { channel }),
    ...(version !== undefined && { version }),
    reason: problem,
  };
}

/** The place of a stored row. */
export interface RowPlace extends ErrorLocation {
  readonly taskId?: string | undefined;
  /** The position of a write among those of its task. */
  readonly idx?: number | undefined;
}

/** Names a row for people: `thread "42", checkpoint "1f1…", channel "messages"`. The root graph's namespace is left out. */
export function describePlace(place: RowPlace): string {
  const { threadId, checkpointNs, checkpointId, channel, version, taskId, idx } = place;
  const parts = [
    ["thread", threadId],
    ["namespace", checkpointNs === "" ? undefined : checkpointNs],
    ["checkpoint", checkpointId],
    ["channel", channel],
    ["version", version],
    ["task", taskId],
  ] as const;
  const named = parts.flatMap(([name, value]) => (value === undefined ? [] : [`${name} "${value}"`]));
  return [...named, ...(idx === undefined ? [] : [`idx ${idx}`])].join(", ");
}
