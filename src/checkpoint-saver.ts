import type { RunnableConfig } from "@langchain/core/runnables";
import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointTuple,
  type DeltaChannelHistory,
  type PendingWrite,
} from "@langchain/langgraph-checkpoint";
import type {
  RebuiltBlob,
  TaskStats,
  TaskReport,
  TaskStatsOptions,
  TaskStatsQuery,
  TaskWrite,
  VerifyOptions,
  VerifyReport,
  CheckpointDiff,
} from "./audit/audit-types.js";
import type { StorageQuery, StorageReport } from "./audit/storage-types.js";
import type {
  ArchiveOptions,
  ArchiveResult,
  RestoreOptions,
  RestoreReport,
} from "./archive/archive-types.js";
import type { ExportOptions, ImportOptions, ImportReport } from "./backup/backup-types.js";
import { InvalidConfigError } from "./errors/index.js";
import { loadOnce } from "./db/async/load-once.js";
import { checkCall, runCall } from "./db/run-call.js";
import { EndableGenerator } from "./db/async/endable-generator.js";
import type { GrowthOptions, GrowthReport } from "./compaction/growth-types.js";
import type { Health } from "./health/health.js";
import {
  type CallOptions,
  parseCallOptions,
  parseStaleReadOptions,
  type StaleReadOptions,
  unlessIndex,
  parseSetupOptions,
  type SetupOptions,
} from "./parsing/parse-call-options.js";
import type {
  IdleOptions,
  PruneOptions,
  PruneReport,
  RetentionOptions,
  RunDeletionOptions,
} from "./retention/retention-types.js";
import { afterEarlierCalls, inTurnOf } from "./saver/in-turn-of.js";
import { type CheckpointBatch, runBatch } from "./saver/batch.js";
import { type ChannelValuesRequest, parseRead, type ReadOptions } from "./saver/boundary/parse-read.js";
import type { RepairOptions, RepairReport } from "./repair/repair-types.js";
import { parseLookupConfig, parseThreadId } from "./saver/boundary/parse-config.js";
import type { OpenedSaver } from "./saver/open-saver.js";
import { contextOf, type GivenContext, type SaverCall } from "./saver/call/saver-call.js";
import { type SaverOperationName, saverOperations } from "./saver/call/saver-operations.js";
import type { CallEncoding } from "./saver/codec/encode-call.js";
import { nextNumericVersion, nextVersion } from "./saver/codec/next-version.js";
import { deleteThread, put, putWrites } from "./saver/put.js";
import { getTuple } from "./saver/read-tuple.js";
import type { ChannelReducers } from "./saver/model/channel-reducers.js";
import type { RowCounts } from "./saver/model/row-counts.js";
import { isObject } from "./serde/objects/inspect-object.js";
import { isJsonSerializer } from "./serde/json/json-serializer.js";
import type { CallSubject } from "./telemetry/running-calls.js";
import { COPY_TARGET, type CopyTarget } from "./threads/between-savers/copy-writes.js";
import type { ThreadLock, ThreadLockOptions } from "./threads/with-thread-lock.js";
import type { Forker } from "./threads/fork.js";
import type {
  CopyOptions,
  ForkOptions,
  HistoryOptions,
  RollbackOptions,
  ThreadHistory,
  ThreadQuery,
  ThreadSummary,
  Tombstone,
  TombstoneQuery,
} from "./threads/thread-types.js";
import { parseSchedule } from "./scheduled-retention/boundary/parse-schedule.js";
import { startRetention } from "./scheduled-retention/start-retention.js";
import type { Retention, RetentionSchedule } from "./scheduled-retention/retention-schedule.js";
import type { WatchOptions } from "./watch/watch-options.js";
import { startWatch } from "./watch/start-watch.js";

// Most processes never call what these rooms do, so a room is loaded by the first call that needs it.
const loadArchive = loadOnce(() => import("./archive/index.js"));
const loadRepair = loadOnce(() => import("./repair/index.js"));
const loadAudit = loadOnce(() => import("./audit/index.js"));
const loadBackup = loadOnce(() => import("./backup/index.js"));
const loadCalls = loadOnce(() => import("./saver/occasional-calls.js"));
const loadDoctor = loadOnce(() => import("./doctor/saver-health.js"));
const loadCompaction = loadOnce(() => import("./compaction/index.js"));
const loadRetention = loadOnce(() => import("./retention/index.js"));
const loadSanitize = loadOnce(() => import("./sanitize/index.js"));
const loadThreads = loadOnce(() => import("./threads/index.js"));

/**
 * Returns what a saver works with, for rooms that send queries of their own on its database.
 *
 * @throws InvalidConfigError for anything else than a saver of this copy of the library.
 */
export let openedSaverOf: (saver: CheckpointSaver) => OpenedSaver;

/**
 * The methods of `PostgresSaver` and `ShallowPostgresSaver`. Each one parses its arguments and calls a function of the room
 * that does the work.
 */
export abstract class CheckpointSaver extends BaseCheckpointSaver {
  readonly #opened: OpenedSaver;
  #retention: Retention | undefined;

  static {
    openedSaverOf = (saver) => {
      if (isObject(saver) && #opened in saver) return saver.#opened;
      throw new InvalidConfigError(
        "saver",
        "must be a PostgresSaver or a ShallowPostgresSaver of this library",
      );
    };
  }

  /** @internal */
  constructor(opened: OpenedSaver) {
    super(opened.serde);
    // LangGraph calls the method without `this` in subgraphs. A subclass that overrides it may need `this` as well.
    const getNextVersion = this.getNextVersion.bind(this);
    Object.defineProperty(this, "getNextVersion", {
      value: getNextVersion,
      writable: true,
      configurable: true,
    });
    this.#opened = opened;
  }

  /**
   * Creates or migrates the tables, and adopts those of an official saver as they are. Any number of processes may
   * call it at the same time. Where nothing has to change, it only reads.
   *
   * @param options - `lockTimeoutMs`: how long to wait for another process that migrates, and for locked tables.
   * @throws MigrationRequiredError where the role lacks a privilege for a migration. The message names the command to
   *   run.
   * @throws MigrationError where a step fails, or the wait for a lock takes longer than `lockTimeoutMs`. It names the
   *   sessions that hold the lock. Nothing is changed then.
   *
   * @example
   * ```ts
   * await checkpointer.setup();
   * ```
   */
  async setup(options?: SetupOptions): Promise<void> {
    await this.#run("setup", {}, async (call) => {
      const { setUp } = await loadCalls();
      const limits = parseSetupOptions(options);
      return setUp({ ...call, ...limits });
    });
  }

  /**
   * Reads the checkpoint that `config` names, or the newest one of its namespace. Where the clock of this machine is behind that of the
   * machine that stored the checkpoint, it waits until the clock has passed it, at most for `maxClockWaitMs`, so that a run which continues
   * from it makes greater ids. A read of a part of the checkpoint, or one with `staleReads`, doesn't wait.
   *
   * @param options - The parts to read. Default: all.
   * @returns The tuple, or `undefined` where there is no such checkpoint, or `config` names no thread.
   * @throws DeserializationError for a value that can't be read.
   * @throws ClockBehindError where the newest checkpoint is further ahead of the clock, unless `clockBehind` is `"warn"`.
   * @throws DatabaseError where the database reports an error.
   *
   * @example
   * ```ts
   * const tuple = await checkpointer.getTuple({ configurable: { thread_id: "42" } });
   * const header = await checkpointer.getTuple({ configurable: { thread_id: "42" } }, { values: false });
   * ```
   */
  override async getTuple(
    config: RunnableConfig,
    options?: ReadOptions,
  ): Promise<CheckpointTuple | undefined> {
    return this.#run("getTuple", { options, config }, async (call) => {
      const subject = parseLookupConfig(config);
      const request = parseRead(options);
      return subject && getTuple(call, about(call, subject), request, this.serde);
    });
  }

  /**
   * Lists checkpoints, newest first. It reads them page by page, as far as the caller iterates.
   *
   * @param config - Narrows the list to a thread, a namespace (`""` is the root graph) or a checkpoint. A config
   *   without a thread lists all threads. An empty thread id is refused.
   * @param options - `before`: only checkpoints older than that one. `filter`: only checkpoints whose metadata
   *   contains it. `limit`: the largest number of checkpoints, after all other conditions. `values`, `channels`,
   *   `writes`: the parts to read.
   * @throws InvalidConfigError for an invalid argument, at the first `next()` and before any I/O.
   *
   * @example
   * ```ts
   * for await (const { checkpoint } of checkpointer.list({ configurable: { thread_id: "42" } }, { limit: 10 })) {
   *   console.log(checkpoint.id, checkpoint.ts);
   * }
   * ```
   */
  override async *list(
    config: RunnableConfig,
    options?: CheckpointListOptions & ReadOptions,
  ): AsyncGenerator<CheckpointTuple> {
    const { call } = this.#opened;
    const { listTuples, parseListRequest } = await loadCalls();
    const request = checkCall(call, saverOperations.list, () => parseListRequest(config, options));
    yield* listTuples(contextOf(call, "list", { options, config }), request, this.serde);
  }

  /**
   * Stores a checkpoint as the successor of the one that `config` names, with the values of the channels in
   * `newVersions`. It encodes the arguments before it returns the promise, so a later change by the caller is not
   * stored.
   *
   * Without `newVersions`, as from a wrapper that passes on three arguments, it stores each value whose version is not stored yet.
   *
   * It does not store the value of a channel without a version in `channel_versions`, like the official JavaScript
   * saver: nothing has written to such a channel, and a graph that reads the checkpoint starts it with its default
   * again. So a default that differs each time, such as an id or a date, belongs in a node.
   *
   * @returns The config of the new checkpoint.
   * @throws InvalidConfigError for an invalid argument, before any I/O.
   * @throws SerializationError for a value that would not be read back equal, before anything is written.
   * @throws CheckpointTooLargeError for more than `maxCheckpointBytes`, before anything is written.
   * @throws ClockBehindError for a checkpoint whose id is older than that of its parent, or that `keepLast` would delete at once because
   *   this machine's clock is behind. Nothing is stored then.
   * @throws DatabaseError where the database reports an error. Nothing is stored then.
   *
   * @example
   * ```ts
   * const next = await checkpointer.put(config, checkpoint, { source: "loop", step: 1, parents: {} }, newVersions);
   * ```
   */
  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions?: ChannelVersions,
    options?: CallOptions,
  ): Promise<RunnableConfig> {
    return this.#run("put", { options }, (call) =>
      put(call, this.#encoding, [config, checkpoint, metadata, newVersions]),
    );
  }

  /**
   * Stores the pending writes of a task, which belong to the checkpoint that the task started from. They may arrive
   * before that checkpoint. A stored write stays as it is, except errors, interrupts and resumes: of these the last
   * one counts.
   *
   * @param taskPath - The position of the task in the graph, by which writes are ordered first.
   * @throws InvalidConfigError for an invalid argument, before any I/O.
   * @throws SerializationError for a value that would not be read back equal, before anything is written.
   * @throws CheckpointTooLargeError for more than `maxCheckpointBytes`, before anything is written.
   *
   * @example
   * ```ts
   * await checkpointer.putWrites(config, [["messages", message]], taskId);
   * ```
   */
  override async putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath?: string,
    options?: CallOptions,
  ): Promise<void> {
    return this.#run("putWrites", { options }, (call) =>
      putWrites(call, this.#encoding, [config, writes, taskId, taskPath]),
    );
  }

  /**
   * Deletes a thread with all of its namespaces, and its conversation. A thread that does not exist is no error. A checkpoint that another
   * caller puts at the same time stays, with all of its values.
   *
   * @throws InvalidConfigError for an empty thread id, before any I/O.
   *
   * @example
   * ```ts
   * await checkpointer.deleteThread("42");
   * ```
   */
  override async deleteThread(threadId: string, options?: CallOptions): Promise<void> {
    await this.#run("deleteThread", { options: unlessIndex(options) }, (call) => {
      const { threadId: id } = about(call, { threadId: parseThreadId(threadId) });
      return deleteThread(call, id);
    });
  }

  /**
   * Sends any number of calls in a constant number of round trips. Either all of them count or none, as if they were
   * made one by one.
   *
   * @param run - Makes the calls on the batch that it gets; see {@link CheckpointBatch}. If it throws, nothing is
   *   sent.
   * @returns What `run` returned, once everything is stored.
   * @throws The error of a refused call, or a DatabaseError. Nothing is stored then.
   *
   * @example
   * ```ts
   * await checkpointer.batch((batch) => Promise.all(imported.map((call) => batch.put(...call))));
   * ```
   */
  async batch<T>(run: (batch: CheckpointBatch) => Promise<T> | T, options?: CallOptions): Promise<T> {
    return this.#run("batch", { options }, (call) => {
      parseCallOptions(options);
      return runBatch(call, this.#encoding, run);
    });
  }

  /**
   * Reads what the ancestors of a checkpoint wrote to delta channels, back to the nearest stored value of each, in
   * one statement at any depth.
   *
   * @returns For each channel its writes, oldest first, and the value that they build upon, if there is one.
   *
   * @example
   * ```ts
   * const { messages } = await checkpointer.getDeltaChannelHistory({ config, channels: ["messages"] });
   * ```
   */
  override async getDeltaChannelHistory(
    options: { config: RunnableConfig; channels: string[] } & StaleReadOptions,
  ): Promise<Record<string, DeltaChannelHistory>> {
    return this.#run("getDeltaChannelHistory", {}, async (observed) => {
      const { deltaChannelHistory, parseDeltaRequest, readEachOnce } = await loadCalls();
      const { subject, channels, walksTasks } = parseDeltaRequest(options);
      if (subject !== undefined) about(observed, subject);
      const call = contextOf(observed, "getDeltaChannelHistory", { options, config: options.config });
      if (!walksTasks) return deltaChannelHistory(call, subject, channels, this.serde);
      const { staleReads } = options;
      const read = async (config: RunnableConfig) => {
        const tuple = await this.getTuple(config, { signal: call.signal, staleReads });
        observed.progress?.moved();
        return tuple;
      };
      const reader = { getTuple: readEachOnce(read) };
      return super.getDeltaChannelHistory.call(reader, options);
    });
  }

  /**
   * Reads one channel of many threads, each from its newest checkpoint, in one statement: for example the titles of
   * all conversations of a user. The sends of checkpoints before version 4 of the format are not stored as a value.
   *
   * @returns The values by thread, in the order of `threadIds`, without the threads that have none.
   * @throws InvalidConfigError for an invalid argument, before any I/O.
   * @throws DeserializationError for a value that can't be read, unless `onDamaged` is set.
   *
   * @example
   * ```ts
   * const titles = await checkpointer.getChannelValues({ threadIds: ["41", "42"], channel: "title" });
   * titles.get("42");
   * ```
   */
  async getChannelValues(
    request: ChannelValuesRequest,
    options?: StaleReadOptions,
  ): Promise<Map<string, unknown>> {
    return this.#run("getChannelValues", { options }, async (call) => {
      const { channelValues, parseChannelValuesRequest } = await loadCalls();
      return channelValues(call, parseChannelValuesRequest(request, options), this.serde);
    });
  }

  /**
   * Returns the version of a channel after `current`. It is larger, and differs from the versions of all other
   * branches of the thread. A new thread begins with text, as in Python's saver. With the `JsonSerializer` it begins
   * with a number, so that the official JavaScript saver can take it over. The method is bound to its saver, because
   * LangGraph calls it without `this` in subgraphs. A subclass may override it.
   *
   * @example
   * ```ts
   * checkpointer.getNextVersion(undefined); // "00000000000000000000000000000001.0384719283746192"
   * ```
   */
  override getNextVersion(current: number): number;
  override getNextVersion(current: string): string;
  override getNextVersion(current: number | string | undefined): number | string;
  override getNextVersion(current: number | string | undefined): number | string {
    return isJsonSerializer(this.serde) ? nextNumericVersion(current) : nextVersion(current);
  }

  /**
   * Runs a function while no other run, in this process or another, has the lock of the thread. Only callers of this
   * method respect the lock: other calls on the thread are not delayed. If the process that holds it dies, the
   * database releases it.
   *
   * All savers that share a pool hold their locks on one connection beside the pool, so they take no connection of
   * the pool. With a Kysely that you passed in, one of its connections holds the locks. On PGlite, which only one
   * process uses, memory holds them.
   *
   * @param run - Gets a signal that aborts when the lock is lost.
   * @returns What `run` returned.
   * @throws ThreadLockedError where the lock is not free within `waitMs`.
   * @throws ThreadLockLostError after `run` has ended, where the connection of the lock was lost meanwhile.
   * @throws InvalidConfigError in a transaction that you passed in, and for a thread that the caller has locked
   *   already.
   * @throws AbortError where the signal ended the wait.
   *
   * @example
   * ```ts
   * await checkpointer.withThreadLock(
   *   threadId,
   *   ({ signal }) => graph.invoke(input, { configurable: { thread_id: threadId }, signal }),
   *   { waitMs: 30_000 },
   * );
   * ```
   */
  async withThreadLock<T>(
    threadId: string,
    run: (lock: ThreadLock) => Promise<T> | T,
    options?: ThreadLockOptions,
  ): Promise<T> {
    const { withThreadLock, parseThreadLock } = await loadThreads();
    return withThreadLock(this.#opened.call, () => parseThreadLock(threadId, run, options));
  }

  /**
   * Copies a thread with all of its namespaces, checkpoints, values and pending writes, under the same ids. The copy
   * shares nothing with the original. A thread that does not exist is no error, and a copy may be repeated: it
   * brings what the source has stored since.
   *
   * The copy is one transaction, so nobody sees a part of it, and a failed call leaves nothing behind. The server
   * copies the rows. With a serializer that binds values to their place (`AesGcmSerializer`), the values go through
   * this process instead, in portions, and the call uses one connection until it ends.
   *
   * Other callers may write, prune and delete both threads at the same time.
   *
   * @param source - The thread to copy.
   * @param target - The id of the copy: a new thread, or an earlier copy of `source`.
   * @param options - `reencode` encodes the copy again, so that Python's saver can continue it.
   * @returns The number of rows that `target` has of `source`, including those of an earlier copy. The bytes are
   *   those of `source`.
   * @throws ThreadExistsError where `target` has checkpoints that `source` lacks, or has unconverted ones and
   *   `reencode` is set. Nothing is written then.
   * @throws DeserializationError, SerializationError naming the channel, for a value that can't be decoded or encoded
   *   again. AES-256-GCM binds a value to its thread, so this includes such a value and a saver without the
   *   serializer that wrote it. Nothing is written then.
   * @throws ThreadDeletedError where `target` has a tombstone, with `keepTombstones`.
   * @throws InvalidConfigError for an invalid argument, before any I/O.
   *
   * @example
   * ```ts
   * await checkpointer.copyThread("42", "42-what-if");
   * ```
   */
  async copyThread(source: string, target: string, options?: CopyOptions): Promise<RowCounts> {
    return this.#run("copyThread", { options }, (call) =>
      inTurnOf(call, [source, target], async () => {
        const { copyThread, parseCopy } = await loadThreads();
        return copyThread(call, parseCopy(source, target, options, this.serde), this.serde);
      }),
    );
  }

  /**
   * Lists threads by id, in the order of the database. It steps through the index and counts the checkpoints of the
   * threads that it returns. A `filter` is evaluated for each thread on the way, also for those that it excludes. With
   * the `metadata-index`, only the threads of checkpoints that match it are looked at, where these are few.
   *
   * @returns A page of threads. The next page starts `after` the last thread. A page shorter than `limit` is the last
   *   one.
   * @throws InvalidConfigError for an invalid argument, before any I/O.
   *
   * @example
   * ```ts
   * let page = await checkpointer.listThreads({ limit: 50, updatedAfter: yesterday });
   * page = await checkpointer.listThreads({ limit: 50, updatedAfter: yesterday, after: page.at(-1)?.threadId });
   * ```
   */
  async listThreads(query?: ThreadQuery): Promise<ThreadSummary[]> {
    return this.#run("listThreads", { options: query, argument: "query" }, async (call) => {
      const { listThreads, parseThreadQuery } = await loadThreads();
      return listThreads(call, parseThreadQuery(query));
    });
  }

  /**
   * Reads the checkpoints of a namespace as a tree of branches, without their values. A damaged checkpoint is described in its place; see
   * `damaged`. With `limit` it reads a page, from the newest back, and no more rows than the page and one: a checkpoint whose parent is
   * not on the page begins a branch, and `head` is still the newest of the namespace. Pages share no checkpoint.
   *
   * @throws InvalidConfigError for an invalid argument.
   *
   * @example
   * ```ts
   * const { head, branches, next } = await checkpointer.history("42", { limit: 100 });
   * const older = next && (await checkpointer.history("42", { limit: 100, before: next }));
   * ```
   */
  async history(threadId: string, options?: HistoryOptions): Promise<ThreadHistory> {
    return this.#run("history", { options }, async (call) => {
      const { history, parseHistory } = await loadThreads();
      return history(call, about(call, parseHistory(threadId, options)));
    });
  }

  /**
   * Creates a checkpoint whose parent is the one that `config` names, or the newest one of its namespace. A run that
   * continues from it starts a branch. Nothing is deleted, and unchanged values are not stored again. Pending writes
   * stay with their checkpoint, so the tasks of the fork run again. The fork has the metadata of its parent, with the
   * source `fork`, the next step and no `run_id`, so a filter for your own keys that finds the parent finds the fork
   * too.
   *
   * @returns The config of the new checkpoint. It is the newest of its namespace where ids are UUIDs.
   * @throws CheckpointNotFoundError where the checkpoint is not stored.
   * @throws InvalidConfigError for an invalid argument, and for a delta channel that needs a reducer.
   *
   * @example
   * ```ts
   * const fork = await checkpointer.fork(config, { values: { plan: "B" } });
   * await graph.invoke(null, fork);
   * ```
   */
  async fork(config: RunnableConfig, options?: ForkOptions): Promise<RunnableConfig> {
    return this.#run("fork", { options }, (call) =>
      inTurnOf(call, [threadOf(config)], async () => {
        const { fork, parseFork } = await loadThreads();
        const request = parseFork(config, options);
        about(call, request.subject);
        return fork(call, request, this.#forker);
      }),
    );
  }

  /**
   * Takes a namespace back to one of its checkpoints: a new checkpoint, with the values and the metadata that {@link
   * fork} gives it, becomes the newest. The checkpoints after the old one stay, on a branch of their own. Other
   * namespaces stay as they are. An active run continues: wait for its end, or prevent runs with `withThreadLock`.
   *
   * @returns The config of the new checkpoint.
   * @throws CheckpointNotFoundError where the checkpoint is not stored.
   * @throws InvalidConfigError for an invalid argument, and for a delta channel that needs a reducer.
   *
   * @example
   * ```ts
   * await checkpointer.rollback("42", before.config.configurable.checkpoint_id);
   * await graph.invoke(input, { configurable: { thread_id: "42" } });
   * ```
   */
  async rollback(threadId: string, checkpointId: string, options?: RollbackOptions): Promise<RunnableConfig> {
    return this.#run("rollback", { options }, (call) =>
      inTurnOf(call, [threadId], async () => {
        const { fork, parseRollback } = await loadThreads();
        const request = parseRollback(threadId, checkpointId, options);
        about(call, request.subject);
        return fork(call, request, this.#forker);
      }),
    );
  }

  /**
   * Lists the tombstones of the threads that savers with `keepTombstones` have deleted, in the order of the database.
   *
   * @returns A page of tombstones. The next page starts `after` the last thread.
   * @throws InvalidConfigError for an invalid argument, before any I/O.
   * @throws MigrationRequiredError where the tables are too old for tombstones.
   *
   * @example
   * ```ts
   * const tombstones = await checkpointer.listTombstones({ limit: 20 });
   * ```
   */
  async listTombstones(query?: TombstoneQuery): Promise<Tombstone[]> {
    return this.#run("listTombstones", { options: query, argument: "query" }, async (call) => {
      const { listTombstones, parseTombstoneQuery } = await loadThreads();
      return listTombstones(call, parseTombstoneQuery(query));
    });
  }

  /**
   * Deletes the tombstones of threads, so that savers with `keepTombstones` write to these threads again. The deleted
   * rows do not come back. A thread without a tombstone is no error.
   *
   * @param threadIds - The ids of the threads.
   * @returns The ids of the threads that had a tombstone.
   * @throws InvalidConfigError for an invalid argument, before any I/O.
   * @throws MigrationRequiredError where the tables are too old for tombstones.
   *
   * @example
   * ```ts
   * await checkpointer.liftTombstones(["42"]);
   * await checkpointer.importThreads(linesOf("42.ndjson"));
   * ```
   */
  async liftTombstones(threadIds: readonly string[], options?: CallOptions): Promise<string[]> {
    return this.#run("liftTombstones", { options }, (call) =>
      inTurnOf(call, threadIds, async () => {
        const { liftTombstones, parseLift } = await loadThreads();
        return liftTombstones(call, parseLift(threadIds, options));
      }),
    );
  }

  /**
   * Deletes all checkpoints of threads except the newest one of each namespace. It never deletes what a kept
   * checkpoint needs: its pending writes, its values, and the ancestors that a delta channel is rebuilt from, even
   * with concurrent writers. It deletes the namespace of a subgraph call together with the checkpoint that the call
   * started from. It also deletes values that no checkpoint references, and writes whose checkpoint was never stored.
   *
   * It works in transactions of some hundred checkpoints each. A committed transaction counts, even if the call fails
   * later. Threads can be read and written at the same time.
   *
   * @param threadIds - The ids of the threads. A thread that does not exist is no error.
   * @param options - `strategy`: `keep_latest`, the default, or `delete`, which deletes the threads whole.
   * @returns What was deleted.
   * @throws InvalidConfigError for an invalid argument, before any I/O.
   * @throws DatabaseError where the database reports an error.
   *
   * @example
   * ```ts
   * await checkpointer.prune(["41", "42"]);
   * await checkpointer.prune(["43"], { strategy: "delete" });
   * ```
   */
  async prune(threadIds: readonly string[], options?: PruneOptions): Promise<PruneReport>;
  /**
   * Prunes all threads, or some, by age and number: it deletes a checkpoint that is older than `olderThanMs` and not
   * among the newest `keepLast` of its namespace. It never deletes the newest checkpoint of a namespace, nor what a
   * kept checkpoint needs. The exception is the namespace of a subgraph call: it is deleted whole, once the
   * checkpoint that the call started from is deleted and everything that the call stored is older than `olderThanMs`.
   * The age is the time in the checkpoint's id, a UUID of version 6. Checkpoints with other ids have no age, and are
   * never old enough.
   *
   * With `idleForMs` it deletes whole threads whose newest checkpoint, of any namespace, is older. It checks the age
   * again after it has locked the checkpoints of a thread, so a thread that becomes active stays. For an id without a
   * time the `ts` of its header counts here, as in `listThreads`.
   *
   * @returns What was deleted, or with `dryRun` what would be deleted.
   * @throws InvalidConfigError for an invalid argument, and where no bound is given, before any I/O.
   * @throws DatabaseError where the database reports an error. Committed transactions count.
   *
   * @example
   * ```ts
   * const month = 30 * 24 * 60 * 60 * 1000;
   * const report = await checkpointer.prune({ olderThanMs: month, keepLast: 10, dryRun: true });
   * console.log(`${report.checkpoints} checkpoints of ${report.threads} threads, ${report.bytes} bytes`);
   * await checkpointer.prune({ idleForMs: 3 * month });
   * ```
   */
  async prune(options: RetentionOptions | IdleOptions): Promise<PruneReport>;
  async prune(
    first: readonly string[] | RetentionOptions | IdleOptions,
    second?: PruneOptions,
  ): Promise<PruneReport> {
    const options = Array.isArray(first) ? second : first;
    return this.#run("prune", { options }, (call) => {
      const run = async () => {
        const { parsePrune, prune } = await loadRetention();
        return prune(call, parsePrune(first, second));
      };
      const threads = threadsOfPrune(first);
      // What is put later into a thread that is deleted whole stays. Otherwise nobody waits: the prune of many threads takes long.
      return threads !== undefined && second?.strategy === "delete"
        ? inTurnOf(call, threads, run)
        : afterEarlierCalls(call, run, threads);
    });
  }

  /**
   * Deletes old checkpoints and idle threads from now on, in rounds, until it is stopped: by the rules of {@link prune}, or with
   * `archive` as {@link archive} does. Start it in all processes of a service: one of them does the work, and when it ends, another
   * one continues.
   *
   * Its load is bounded: after each transaction it waits until the deleted rows are within `maxRowsPerSecond`, and while a replica
   * is behind. A round that fails is logged and counted, and the next one tries again. It doesn't keep the process running.
   *
   * @param options - What is deleted, how often and how fast. `signal`: stops it at once.
   * @returns What stops it. `end()` of the saver stops it, too.
   * @throws InvalidConfigError for an invalid option, where no rule is given, on a transaction that you passed in, and while another
   *   retention of this saver runs.
   *
   * @example
   * ```ts
   * const day = 24 * 60 * 60 * 1000;
   * await using retention = checkpointer.startRetention({ every: day, olderThanMs: 30 * day, keepLast: 10, idleForMs: 90 * day });
   * ```
   */
  startRetention(options: RetentionSchedule): Retention {
    const { call } = this.#opened;
    return checkCall(call, saverOperations.retention, () => {
      const request = parseSchedule(options);
      if (this.#retention !== undefined) {
        throw new InvalidConfigError("options", "this saver has a retention already: stop it first");
      }
      const onStopped = (): void => {
        this.#retention = undefined;
      };
      return (this.#retention = startRetention(call, request, { onStopped }));
    });
  }

  /**
   * Deletes the checkpoints of runs with their writes, in all threads and namespaces, including the newest ones. The
   * `run_id` in the metadata decides. Other checkpoints read as before: what their delta channels are rebuilt from is
   * kept, even if it is of one of the runs. Values that no checkpoint references any more are deleted too.
   *
   * @param runIds - The ids of the runs. A run without checkpoints is no error.
   * @param options - `dryRun`: counts what would be deleted, and changes nothing.
   * @returns What was deleted, or with `dryRun` what would be deleted.
   * @throws InvalidConfigError for an invalid argument, before any I/O.
   * @throws DatabaseError where the database reports an error. Committed transactions count.
   *
   * @example
   * ```ts
   * await checkpointer.deleteForRuns(["1f0a2c9e-4b7d-6c3e-8f21-0242ac120002"]);
   * ```
   */
  async deleteForRuns(runIds: readonly string[], options?: RunDeletionOptions): Promise<PruneReport> {
    return this.#run("deleteForRuns", { options }, (call) =>
      afterEarlierCalls(call, async () => {
        const { deleteForRuns, parseRunIds, parseRunOptions } = await loadRetention();
        const request = { ...parseRunOptions(options), runIds: parseRunIds(runIds) };
        return deleteForRuns(call, request);
      }),
    );
  }

  /**
   * Stores the splices of threads as whole values, so that savers read them which don't know splices: Python's, the
   * official JavaScript one, and version 0.1.0 of this library. Turn the option `splices` off first. Agents may read
   * and write meanwhile. It looks again for splices that were stored in the meantime.
   *
   * It uses small transactions. What an interrupted call has done stays done, and the next call continues.
   *
   * @returns How many values are whole now, and their length before and after.
   * @throws BrokenChainError for a splice that can't be read.
   * @throws DatabaseError where writers keep storing splices in a thread.
   * @throws MigrationRequiredError where the tables are older than the option `splices`.
   *
   * @example
   * ```ts
   * const { values, bytesAfter } = await saver.expand({ threads: ["42"], dryRun: true });
   * ```
   */
  async expand(options?: GrowthOptions): Promise<GrowthReport> {
    return this.#run("expand", { options }, (call) =>
      afterEarlierCalls(call, async () => {
        const { expand, parseGrowth } = await loadCompaction();
        return expand(call, parseGrowth(options), () => this.serde);
      }),
    );
  }

  /**
   * Stores the values of threads as splices, as far as that saves at least half of a value: threads from before the
   * option `splices`, or of another saver. From then on, only this library reads those threads. Agents may read and
   * write meanwhile.
   *
   * A value that is made of more than 32 others becomes whole, or a splice of a nearer one. `verify` names values that
   * are made of more than 64.
   *
   * It uses small transactions. What an interrupted call has done stays done, and the next call continues. Postgres
   * uses the space again after a `VACUUM`, and returns it to the system only after a `VACUUM FULL` or `pg_repack`.
   *
   * @returns How many values got another form, and their length before and after.
   * @throws DeserializationError for a value that can't be decrypted or decompressed.
   * @throws MigrationRequiredError where the tables are older than the option `splices`.
   *
   * @example
   * ```ts
   * const { values, bytesBefore, bytesAfter } = await saver.compact({ threads: ["42"] });
   * ```
   */
  async compact(options?: GrowthOptions): Promise<GrowthReport> {
    return this.#run("compact", { options }, (call) =>
      afterEarlierCalls(call, async () => {
        const { compact, parseGrowth } = await loadCompaction();
        return compact(call, parseGrowth(options), () => this.serde);
      }),
    );
  }

  /**
   * Removes from stored messages what a node had replaced in them, such as `message.content = "[redacted]"`. Version
   * 0.1.0 stored the text of before as well, which nothing reads: in values, and in pending writes. Agents may read and
   * write meanwhile. Backups and archives made before still have it.
   *
   * A value that is made of such a value becomes whole; `compact` makes splices again. It uses small transactions. What
   * an interrupted call has done stays done, and the next call continues.
   *
   * @returns How many values and writes were rewritten, and their length before and after.
   * @throws DeserializationError for a value that can't be read.
   * @throws MigrationRequiredError where the tables are older than the option `splices`.
   *
   * @example
   * ```ts
   * const { values } = await saver.sanitize({ dryRun: true }); // how many values have such text
   * ```
   */
  async sanitize(options?: GrowthOptions): Promise<GrowthReport> {
    return this.#run("sanitize", { options }, (call) =>
      afterEarlierCalls(call, async () => {
        const { parseGrowth, sanitize } = await loadSanitize();
        return sanitize(call, parseGrowth(options), () => this.serde);
      }),
    );
  }

  /**
   * Reads the writes of the tasks that started from a checkpoint, ordered by task path, task and position.
   *
   * @param config - Names the checkpoint. Without a checkpoint id it is the newest of the namespace.
   * @returns The writes. There are none where the checkpoint does not exist.
   * @throws InvalidConfigError for a config without a thread, before any I/O.
   * @throws DeserializationError naming the channel of a value that can't be read.
   *
   * @example
   * ```ts
   * for (const { taskId, channel, value } of await saver.writesOf({ configurable: { thread_id: "42" } })) {
   *   console.log(taskId, channel, value);
   * }
   * ```
   */
  async writesOf(config: RunnableConfig, options?: StaleReadOptions): Promise<TaskWrite[]> {
    return this.#run("writesOf", { options, config }, async (call) => {
      const { parseTarget, taskWritesOf } = await loadAudit();
      parseStaleReadOptions(options);
      return taskWritesOf(call, about(call, parseTarget(config)), this.serde);
    });
  }

  /**
   * Measures how much each task of a thread wrote, by checkpoint, namespace, task path and task. The server counts
   * without reading the values.
   *
   * @throws InvalidConfigError for an invalid argument, before any I/O.
   *
   * @example
   * ```ts
   * const stats = await saver.taskStats("42", { checkpointNs: "" });
   * ```
   */
  async taskStats(threadId: string, options?: TaskStatsOptions): Promise<TaskStats[]>;
  /**
   * Measures how much the tasks of all threads wrote, by node and by task. The server counts without reading the values. Without a thread
   * it scans all writes once.
   *
   * @throws InvalidConfigError for an invalid query, before any I/O.
   *
   * @example
   * ```ts
   * const { nodes, tasks } = await saver.taskStats({ since: new Date(Date.now() - 86_400_000), limit: 5 });
   * ```
   */
  async taskStats(query: TaskStatsQuery): Promise<TaskReport>;
  async taskStats(
    scope: string | TaskStatsQuery,
    options?: TaskStatsOptions,
  ): Promise<TaskStats[] | TaskReport> {
    if (isObject(scope) && !Array.isArray(scope)) {
      return this.#run("taskStats", { options: scope, argument: "query" }, async (call) => {
        const { parseTaskQuery, taskReport } = await loadAudit();
        return taskReport(call, about(call, parseTaskQuery(scope)));
      });
    }
    return this.#run("taskStats", { options }, async (call) => {
      const { parseTaskScope, taskStats } = await loadAudit();
      return taskStats(call, about(call, parseTaskScope(scope, options)));
    });
  }

  /**
   * Measures the space of headers, values and writes: in total, by thread and by channel. It reads no values. Without
   * a thread it reads all rows once, some threads at a time, so agents that run meanwhile are seen at different moments. `sample` estimates
   * this by some threads. Of one checkpoint it tells how much is written beside its values.
   *
   * @throws InvalidConfigError for an invalid argument, before any I/O.
   *
   * @example
   * ```ts
   * const { total, channels } = await saver.storage({ limit: 5 });
   * console.log(`${total.writeBytes} bytes of writes beside ${total.blobBytes} bytes of values`);
   * ```
   */
  async storage(query?: StorageQuery): Promise<StorageReport> {
    return this.#run("storage", { options: query, argument: "query" }, async (call) => {
      const { parseStorage, storage } = await loadAudit();
      return storage(call, about(call, parseStorage(query)));
    });
  }

  /**
   * Compares two checkpoints, of one thread or of two, channel by channel. A channel with the same version in two
   * checkpoints of one namespace is the same, and is not read. For other channels the values are compared.
   *
   * @param a - Names the first checkpoint. Without a checkpoint id it is the newest of the namespace.
   * @param b - Names the second checkpoint in the same way.
   * @throws InvalidConfigError for an invalid config, before any I/O.
   * @throws CheckpointNotFoundError where one of them is not stored.
   * @throws DeserializationError naming the channel of a value that can't be read.
   *
   * @example
   * ```ts
   * const { channels } = await saver.diff(parentConfig, config);
   * const changed = channels.filter(({ change }) => change !== "same");
   * ```
   */
  async diff(a: RunnableConfig, b: RunnableConfig, options?: StaleReadOptions): Promise<CheckpointDiff> {
    return this.#run("diff", { options }, async (call) => {
      const { diff, parseTarget } = await loadAudit();
      parseStaleReadOptions(options);
      const targets = [parseTarget(a, "a"), parseTarget(b, "b")] as const;
      return diff(call, targets, this.serde);
    });
  }

  /**
   * Rebuilds the missing values of a checkpoint from the writes of its ancestors' tasks. It starts from the nearest
   * ancestor that has a value of the channel, or from an empty channel, and applies the writes with the channel's
   * reducer, oldest first. It changes nothing that is stored. It leaves out delta channels, which have no values of
   * their own, and channels of Python that were empty. Where {@link verify} can't decide that, a reducer for the
   * channel says that it had a value.
   *
   * LangGraph.js before 1.5 records no task paths. Parallel tasks are then applied in the order of their ids, which
   * may differ from that of the graph. `messagesStateReducer` gives a message that was written without an id a new
   * one.
   *
   * @param config - Names the checkpoint. Without a checkpoint id it is the newest of the namespace.
   * @param reducers - A reducer for each missing channel, as in the graph's annotation. It gets `undefined` as the
   *   first value where no ancestor has one. Use `(_, update) => update` for a channel whose last write counts.
   * @returns The rebuilt values.
   * @throws InvalidConfigError for an invalid config, and for a missing channel without a reducer.
   * @throws CheckpointNotFoundError where the checkpoint is not stored.
   * @throws WritesMissingError where the stored writes do not determine a value. Nothing is stored then.
   *
   * @example
   * ```ts
   * await saver.rebuildBlobs(config, {
   *   messages: (held: BaseMessage[] = [], update: Messages) => messagesStateReducer(held, update),
   *   title: (_, update) => update,
   * });
   * ```
   */
  async rebuildBlobs(
    config: RunnableConfig,
    reducers: ChannelReducers,
    options?: CallOptions,
  ): Promise<RebuiltBlob[]> {
    return this.#run("rebuildBlobs", { options }, (call) =>
      inTurnOf(call, [threadOf(config)], async () => {
        const { parseReducers, parseTarget, rebuildBlobs } = await loadAudit();
        parseCallOptions(options);
        const subject = about(call, parseTarget(config));
        return rebuildBlobs(call, subject, parseReducers(reducers), this.serde);
      }),
    );
  }

  /**
   * Checks that everything stored of a thread, or of all threads, can be read back. It reads each row once, page by
   * page, while agents run, and keeps only the problems in memory: one for each cause, by kind and place.
   *
   * Channels that an engine creates itself, such as `branch:to:…`, count as empty where they have no value and their
   * version is text, as in Python's saver. Python's saver stores nothing for other empty channels either, nor for an
   * `UntrackedValue`. There the step in which the channel got its version decides: it is a problem if that step wrote
   * a value, no problem if it wrote none, and a notice if that is not recorded: after `durability="exit"`, after a
   * prune, and for an `UntrackedValue` in an update of the state.
   *
   * @param threadId - The thread. It may be empty, as other savers store it. Default: all threads.
   * @param options - `sample`: a share of all threads. `since`: threads with newer checkpoints.
   * @throws InvalidConfigError for an invalid argument, before any I/O.
   * @throws AbortError where the signal ended the call.
   *
   * @example
   * ```ts
   * const { problems } = await saver.verify();
   * for (const { severity, threadId, message } of problems) console.log(severity, threadId, message);
   * ```
   */
  async verify(threadId?: string, options?: VerifyOptions): Promise<VerifyReport> {
    return this.#run("verify", { options }, async (call) => {
      const { parseVerify, verify } = await loadAudit();
      return verify(call, about(call, parseVerify(threadId, options)), this.serde);
    });
  }

  /**
   * Repairs what {@link verify} finds, or plans it with `dryRun`. For each problem it takes the first way that helps: rebuild the row from
   * what else is stored; take it from a backup (`from`); remove a row that nothing references; with `rollBack`, remove damaged
   * checkpoints, so that the thread continues from its newest healthy one; with `quarantine`, move the thread to the archive as it is.
   *
   * Before the first row of a thread changes, all of its rows are written to the archive `to`. Deleting the thread and {@link restore}
   * undo the repair. Each thread is one transaction, in which it is verified again: a step that breaks something is undone. Agents may read
   * and write other threads meanwhile.
   *
   * @returns Each problem, and what was done about it. `none`: the thread is left as it is.
   * @throws InvalidConfigError for an invalid argument, before any I/O, and for a saver on a transaction.
   * @throws ArchiveError where a thread can't be written to the archive. It was not changed.
   * @throws BackupError where `from` is damaged. What was repaired until then stays repaired.
   *
   * @example
   * ```ts
   * const plan = await saver.repair({ dryRun: true });
   * for (const { problem, action } of plan.repairs) console.log(problem.threadId, problem.message, action);
   * await saver.repair({ to: archiveFolder("/var/archive/repaired"), rollBack: true });
   * ```
   */
  async repair(options: RepairOptions): Promise<RepairReport> {
    return this.#run("repair", { options }, (call) =>
      afterEarlierCalls(call, async () => {
        const { parseRepair, repair } = await loadRepair();
        return repair(call, parseRepair(options), this.serde);
      }),
    );
  }

  /**
   * Exports threads as lines of JSON: a header, the rows as they are stored, and a last line with counts and a
   * checksum. It does not decode values, so encrypted ones need no key. Its memory is bounded for threads and values
   * of any size: long values come in pieces of 57 KiB.
   *
   * Other processes may write, prune and delete at the same time. Each checkpoint is exported with all of its values
   * and writes as of one moment, and so are up to 1,000 checkpoints of a thread together. A longer thread is read in
   * portions, the newest first. Don't prune such a thread at the same time if it has delta channels.
   *
   * With `since` it exports only what has changed since earlier backups; see `mergeBackups` for restoring those. It compares what
   * is stored with what they hold, so it finds every change, deletions among them. For that the server reads and hashes all values of
   * the threads that they hold.
   *
   * Damaged rows are exported as they are. With `onDamaged`, rows that the server can't read are named and left out.
   *
   * @returns The lines, without line feeds.
   * @throws InvalidConfigError for an invalid argument, before any I/O.
   * @throws BackupError where an earlier backup is damaged, or does not continue the one before it.
   * @throws DatabaseError where the server can't read a row, without `onDamaged`.
   * @throws AbortError where the signal ended the call.
   *
   * @example
   * ```ts
   * const lines = checkpointer.exportThreads({ threads: ["42"] });
   * await pipeline(lines, async function* (all) { for await (const line of all) yield `${line}\n`; }, createWriteStream("42.ndjson"));
   * ```
   */
  async *exportThreads(options?: ExportOptions): AsyncGenerator<string> {
    const { call } = this.#opened;
    const { exportThreads, parseExport } = await loadBackup();
    const request = checkCall(call, saverOperations.exportThreads, () => parseExport(options));
    yield* exportThreads(contextOf(call, "exportThreads", { options }), request);
  }

  /**
   * Stores the lines of {@link exportThreads}, in portions. A value is assembled in memory and stored whole. It skips
   * a row that is stored and equal, so an interrupted import can be started again. A row that is stored and differs costs
   * its thread: the import leaves the thread, names it in the report, and stores the others. It replaces only special
   * writes: errors, questions and answers of tasks, of which the last one counts. So import a newer export over an older
   * one, and not the other way round. With `replaceDamaged` it also replaces stored rows that can't be read.
   *
   * Other processes may write, prune and delete at the same time. Each portion, of up to 1,000 rows or 8 MB, is one
   * transaction. If another process deletes values of a longer thread before the checkpoints that reference them are
   * stored, the import fails with a BackupError. Import the backup again then.
   *
   * @param lines - The lines, without line feeds.
   * @returns What was stored, and which threads were left.
   * @throws BackupError for lines that are not a backup, for a backup that is cut off or damaged, for values that others
   *   have deleted, and with `strict` for stored rows that differ. It contains what was stored.
   * @throws ThreadDeletedError with `keepTombstones` and `strict`, for a thread with a tombstone.
   *
   * @example
   * ```ts
   * const report = await checkpointer.importThreads(other.exportThreads());
   * ```
   */
  async importThreads(
    lines: AsyncIterable<string> | Iterable<string>,
    options?: ImportOptions,
  ): Promise<ImportReport> {
    return this.#run("importThreads", { options }, async (call) => {
      const { importThreads, parseImport, parseLines } = await loadBackup();
      const request = parseImport(options);
      return importThreads(call, parseLines(lines), request, this.serde);
    });
  }

  /**
   * Moves what {@link prune} would delete by the same rule to an archive: it writes the rows to a file, waits until the file is
   * durable, reads it back and verifies its checksum, and only then deletes the rows. It deletes a row only if the row is stored
   * exactly as the file has it. A thread, or a checkpoint, that changed meanwhile stays, and the next call archives it again. So
   * a call may be killed anywhere, and the next one continues: nothing is ever in neither place.
   *
   * The files hold values as they are stored: those of an encrypting saver stay encrypted.
   *
   * @param options - `to`: where the files go to, such as an `archiveFolder`. The others are those of {@link prune}.
   * @returns What was moved.
   * @throws InvalidConfigError for an invalid argument, before any I/O.
   * @throws ArchiveError if a file can't be written, or is not read back as it was written. Its rows are still stored.
   * @throws DatabaseError where the database reports an error. What was moved until then stays moved.
   *
   * @example
   * ```ts
   * const to = archiveFolder("/var/archive/threads");
   * await checkpointer.archive({ to, idleForMs: 90 * 24 * 60 * 60 * 1000 }); // whole threads
   * await checkpointer.archive({ to, keepLast: 10 }); // the older checkpoints of each thread
   * await checkpointer.archive({ to, strategy: "delete", threads: ["42"] });
   * ```
   */
  async archive(options: ArchiveOptions): Promise<ArchiveResult> {
    return this.#run("archive", { options }, (call) =>
      afterEarlierCalls(call, async () => {
        const { archive, parseArchive } = await loadArchive();
        return archive(call, parseArchive(options));
      }),
    );
  }

  /**
   * Brings threads back from an archive: all of their rows that its files hold. It reads and verifies all of these files before it
   * stores anything. It overwrites nothing, and skips rows that are stored and equal. A row that is stored and differs costs
   * its thread, except for special writes, of which the stored one is later. So do a damaged file and a tombstone: the report
   * names them, and the other threads are restored. It deletes nothing from the archive.
   *
   * @param options - `from`: where the files are. `threads`: which threads to restore, by default all of the archive.
   * @returns What was stored, which threads were left, and which ones the archive does not have.
   * @throws InvalidConfigError for an invalid argument, before any I/O.
   * @throws ArchiveError if the files can't be listed; with `strict`, if one can't be read or is damaged. Nothing was stored.
   * @throws BackupError with `strict`, for stored rows that differ. What was stored until then stays stored.
   * @throws ThreadDeletedError with `strict` and `keepTombstones`, for a thread with a tombstone, unless `liftTombstones` is set.
   *
   * @example
   * ```ts
   * const from = archiveFolder("/var/archive/threads");
   * await checkpointer.restore({ from, threads: ["42"] });
   * await checkpointer.restore({ from }); // all threads
   * ```
   */
  async restore(options: RestoreOptions): Promise<RestoreReport> {
    return this.#run("restore", { options }, (call) =>
      afterEarlierCalls(call, async () => {
        const { parseRestore, restore } = await loadArchive();
        return restore(call, parseRestore(options));
      }),
    );
  }

  /**
   * Yields each checkpoint of a thread that savers with `notify: true` store from now on, once, in the order of the
   * commits. Other savers send no notifications. Their checkpoints are yielded only where the watch looks for missed
   * ones: before its connection was established, or after it was lost.
   *
   * The watch starts with the first `next()`. It yields what this process begins to store after that call, even if
   * connections are lost, and what other processes store with an id of a later millisecond. One connection beside the
   * pool listens for all watches of the savers on that pool. If it is lost, the watch connects again, and yields the
   * checkpoints with larger ids than the last seen of their namespace.
   *
   * `break`, `return()` (also while a `next()` waits) and `end()` of the saver end the watch. A `signal` ends it as
   * well: `next()` then rejects with an AbortError.
   *
   * @throws InvalidConfigError at the first `next()`, on a Kysely or a transaction that you passed in, and behind a
   *   pooler in transaction mode where that is detected: no notifications arrive there.
   * @throws ConnectionError where the database can't be reached at the start, within the limit of `retry`.
   *
   * @example
   * ```ts
   * for await (const { checkpoint, metadata } of checkpointer.watch("42", { signal })) {
   *   console.log(metadata?.step, checkpoint.channel_values);
   * }
   * ```
   */
  watch(threadId: string, options?: WatchOptions): AsyncGenerator<CheckpointTuple, undefined> {
    const { call, ended } = this.#opened;
    return new EndableGenerator((ending) =>
      startWatch(call, { threadId, options }, this.serde, [ending, ended.signal]),
    );
  }

  /**
   * Checks whether checkpoints can be stored now. It never rejects, reads only the catalog, retries nothing, and ends
   * after two seconds, or when the `signal` aborts. It opens a PGlite that is not open yet first. That blocks the
   * process for seconds, so no timer fires, and the two seconds start after it.
   *
   * @example
   * ```ts
   * const { ok, error } = await checkpointer.health({ signal: AbortSignal.timeout(500) });
   * response.writeHead(ok ? 200 : 503).end(error?.code ?? "ok");
   * ```
   */
  async health(options?: CallOptions): Promise<Health> {
    const { saverHealth } = await loadDoctor();
    return saverHealth(this.#opened.call, options);
  }

  /**
   * Closes what this saver opened. The saver never closes a pool, a Kysely or a PGlite that you passed in. It may be
   * called more than once.
   *
   * @example
   * ```ts
   * process.on("SIGTERM", () => void checkpointer.end());
   * ```
   */
  async end(): Promise<void> {
    this.#opened.ended.abort();
    this.#opened.call.policy.memory?.clear();
    const { database, replica } = this.#opened.call;
    await Promise.all([this.#retention?.stop(), database.close(), replica?.database.close()]);
  }

  /** Calls {@link end} at the end of a block that declares the saver with `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  /**
   * Runs a call, which is observed, and ends by its signal.
   *
   * @param given - Where the caller may have passed a signal.
   * @param work - Checks the arguments: a refused one counts as a failed call. It is called before this method returns.
   */
  #run<Result>(
    name: SaverOperationName,
    given: GivenContext,
    work: (call: SaverCall) => Promise<Result>,
  ): Promise<Result> {
    return runCall(this.#opened.call, saverOperations[name], async (observed) =>
      work(contextOf(observed, name, given)),
    );
  }

  /** @internal */
  get [COPY_TARGET](): CopyTarget | undefined {
    // A subclass that overrides the method may store writes elsewhere or otherwise.
    if (this.putWrites !== CheckpointSaver.prototype.putWrites) return undefined;
    return {
      keepLast: this.#opened.call.policy.keepLast,
      replaceWrites: (config, tasks) =>
        this.#run("putWrites", {}, (call) =>
          inTurnOf(call, [config.configurable?.thread_id], async () => {
            const { replaceWrites } = await loadThreads();
            return replaceWrites(call, this.#encoding, config, tasks);
          }),
        ),
    };
  }

  get #encoding(): CallEncoding {
    const { sizeCheck, metadataOf } = this.#opened;
    const { clock, memory } = this.#opened.call.policy;
    return { serde: this.serde, sizeCheck, clock, metadataOf, memory };
  }

  get #forker(): Forker {
    return {
      serde: this.serde,
      sizeCheck: this.#opened.sizeCheck,
      nextVersion: (current) => this.getNextVersion(current),
    };
  }
}

/** Tells what a call is about. */
function about<Subject extends CallSubject>({ progress }: SaverCall, subject: Subject): Subject {
  progress?.about(subject);
  return subject;
}

/** The thread that a config names, or anything else where the call will refuse it. */
function threadOf(config: RunnableConfig): unknown {
  try {
    return parseLookupConfig(config)?.threadId;
  } catch {
    return undefined;
  }
}

/** The threads that a prune names, or anything else where the call will refuse them. */
function threadsOfPrune(first: unknown): unknown {
  if (Array.isArray(first)) return first;
  return typeof first === "object" && first !== null && "threads" in first ? first.threads : undefined;
}
