import type { Health } from "../health/health.js";
import type { CallOptions, SetupOptions } from "../parsing/parse-call-options.js";
import type { ExecutionCheckpoint } from "./model/execution-checkpoint.js";
import type { CheckpointErrorCode } from "../errors/index.js";

/**
 * All checkpoints of an execution, or of a thread: those whose `metadata.execution_id`, or `metadata.thread_id`, is this text. A text by
 * itself is the id of an execution.
 */
export type CheckpointScope = string | { readonly executionId: string } | { readonly threadId: string };

/** Options of {@link CheckpointStore.save}. */
export interface SaveOptions extends CallOptions {
  /**
   * Deletes, together with the save, all but the newest checkpoints of the execution, or of the thread where the checkpoint has no
   * execution. At least 1. The saved one is never deleted, so where it is older than all of them, one more remains.
   */
  readonly keepLast?: number | undefined;
}

/** Options of {@link CheckpointStore.latest}. */
export interface LatestOptions extends CallOptions {
  /**
   * Leaves out checkpoints that can't be read: damaged ones, and those that need another serializer or key. Each is logged as an error, and
   * counts as one in the metrics. Default `false`: the first of them fails the call.
   */
  readonly skipDamaged?: boolean | undefined;
}

/** Options of {@link CheckpointStore.list}. */
export interface ListOptions extends LatestOptions {
  /** The largest number of checkpoints, at least 1. Default: no limit. */
  readonly limit?: number | undefined;
  /** `desc` returns the newest first. Default `asc`. */
  readonly order?: "asc" | "desc" | undefined;
}

/**
 * Stores the states of executions, one checkpoint per step. {@link MemoryCheckpointStore}, {@link PostgresCheckpointStore},
 * `SqliteCheckpointStore` and `RedisCheckpointStore` implement it and behave alike.
 *
 * Every call may be repeated. Each call except {@link end} has the option `signal`.
 *
 * @typeParam State - The type of the states.
 */
export interface CheckpointStore<State = unknown> extends AsyncDisposable {
  /**
   * Creates the table, where the backend has one, and checks the connection. Any number of processes may call it at the same time.
   *
   * @param options - `lockTimeoutMs`: how long Postgres waits for another process that migrates, and for locked tables. The other backends
   *   ignore it.
   * @throws MigrationError where a step fails in Postgres, or that wait takes longer.
   *
   * @example
   * ```ts
   * await store.setup();
   * ```
   */
  setup(options?: SetupOptions): Promise<void>;

  /**
   * Stores a checkpoint. One with the same id is replaced in all fields, also where it is listed. The checkpoint is encoded before the
   * call returns its promise, so that it may be changed afterwards.
   *
   * @throws InvalidConfigError, SerializationError, CheckpointTooLargeError before anything is sent.
   * @throws CheckpointVersionError where the option `concurrency` of the store is `"optimistic"`, and the stored checkpoint has the same
   *   version or a newer one.
   *
   * @example
   * ```ts
   * await store.save(createCheckpoint({ executionId: "exec_1", nodeName: "fetch", state: { pages: 3 } }), { keepLast: 10 });
   * ```
   */
  save(checkpoint: ExecutionCheckpoint<State>, options?: SaveOptions): Promise<void>;

  /**
   * Stores checkpoints as {@link save} does, all of them or none: in one transaction of Postgres or SQLite, in one script of Redis.
   *
   * @param checkpoints - No two may have the same id. Of an empty array nothing is sent.
   * @param options - `keepLast` is about each execution of the checkpoints, once all are stored. Of those that were saved, the newest of each
   *   execution is never deleted.
   * @throws InvalidConfigError, SerializationError, CheckpointTooLargeError before anything is sent.
   * @throws CheckpointVersionError where the option `concurrency` refuses one of them. None is stored.
   *
   * @example
   * ```ts
   * await store.saveMany(pages.map((state, n) => createCheckpoint({ executionId, nodeName: "fetch", state, version: n })));
   * ```
   */
  saveMany(checkpoints: readonly ExecutionCheckpoint<State>[], options?: SaveOptions): Promise<void>;

  /**
   * Loads a checkpoint. It shares nothing with what was saved.
   *
   * @throws CheckpointNotFoundError where there is none.
   * @throws DeserializationError, CorruptCheckpointError for a damaged one. They name the id.
   *
   * @example
   * ```ts
   * const { state } = await store.load("checkpoint_1");
   * ```
   */
  load(checkpointId: string, options?: CallOptions): Promise<ExecutionCheckpoint<State>>;

  /**
   * Lists checkpoints by `timestamp`, then by `version`, then by the bytes of `id`. A damaged one fails the call, unless `skipDamaged` is set.
   *
   * @throws DeserializationError, CorruptCheckpointError for a damaged one. They name its id and its version.
   *
   * @returns An empty array where there are none.
   *
   * @example
   * ```ts
   * for (const { nodeName, version } of await store.list({ threadId: "user-7" }, { limit: 100 })) console.log(nodeName, version);
   * ```
   */
  list(scope: CheckpointScope, options?: ListOptions): Promise<ExecutionCheckpoint<State>[]>;

  /**
   * Loads the last checkpoint of the order of {@link list}, or `undefined` where there is none.
   *
   * @throws DeserializationError, CorruptCheckpointError where it is damaged, unless `skipDamaged` is set. They name its id and its version.
   *
   * @example
   * ```ts
   * const newest = await store.latest("exec_1");
   * const readable = await store.latest("exec_1", { skipDamaged: true });
   * ```
   */
  latest(scope: CheckpointScope, options?: LatestOptions): Promise<ExecutionCheckpoint<State> | undefined>;

  /**
   * Deletes a checkpoint.
   *
   * @returns Whether there was one. After a retry it may be `false` although the first attempt has deleted it.
   *
   * @example
   * ```ts
   * await store.delete("checkpoint_1");
   * ```
   */
  delete(checkpointId: string, options?: CallOptions): Promise<boolean>;

  /**
   * Deletes all checkpoints of an execution or of a thread.
   *
   * @returns Their number. After a retry, those that the first attempt has deleted may be missing in it.
   *
   * @example
   * ```ts
   * await store.clear({ threadId: "user-7" });
   * ```
   */
  clear(scope: CheckpointScope, options?: CallOptions): Promise<number>;

  /**
   * Reads every checkpoint of the store, and reports those that can't be read. It changes nothing. Checkpoints that are stored meanwhile may be
   * missing.
   *
   * @example
   * ```ts
   * for (const { checkpointId, message } of (await store.verify()).problems) console.error(checkpointId, message);
   * ```
   */
  verify(options?: VerifyCheckpointsOptions): Promise<VerifyCheckpointsReport>;

  /**
   * Checks whether checkpoints can be stored now. It never rejects, and gives up after two seconds, or when the signal says so.
   *
   * @example
   * ```ts
   * const { ok, error } = await store.health({ signal: AbortSignal.timeout(500) });
   * ```
   */
  health(options?: CallOptions): Promise<Health>;

  /**
   * Closes what the store opened. It never closes a connection that you passed in. It may be called more than once.
   *
   * @example
   * ```ts
   * await store.end();
   * ```
   */
  end(): Promise<void>;
}

/** A checkpoint that can't be read. */
export interface CheckpointProblem {
  readonly checkpointId: string;
  /**
   * - `CORRUPT_CHECKPOINT`: it is no record of a checkpoint
   * - `DESERIALIZATION_FAILED`: its state or its metadata can't be decoded, or needs another serializer or key
   * - `CHECKPOINT_SCHEMA`: its state does not fit the option `stateSchema` of the store
   */
  readonly code: CheckpointErrorCode;
  /** The version, where the record can be read. */
  readonly version?: number;
  /** A description for people. Its text may change between versions. */
  readonly message: string;
}

/** The progress of `verify` of a checkpoint store. */
export interface VerifyCheckpointsProgress {
  /** How many checkpoints were checked so far. */
  readonly checkpoints: number;
  /** How many of them can't be read. */
  readonly problems: number;
}

/** The options of `verify` of a checkpoint store. */
export interface VerifyCheckpointsOptions extends CallOptions {
  /** Called after each page of checkpoints. */
  readonly onProgress?: ((progress: VerifyCheckpointsProgress) => void) | undefined;
}

/** What `verify` of a checkpoint store has found. */
export interface VerifyCheckpointsReport {
  /** How many checkpoints were checked. */
  readonly checkpoints: number;
  readonly problems: readonly CheckpointProblem[];
}
