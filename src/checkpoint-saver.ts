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
import {
  parseReducers,
  parseStorageScope,
  parseTarget,
  parseTaskScope,
  parseVerify,
} from "./audit/boundary/parse-audit.js";
import type { CheckpointDiff } from "./audit/checkpoint-diff.js";
import type {
  RebuiltBlob,
  StorageQuery,
  StorageReport,
  TaskStats,
  TaskStatsOptions,
  TaskWrite,
  VerifyOptions,
  VerifyReport,
} from "./audit/audit-types.js";
import { diff } from "./audit/diff.js";
import { rebuildBlobs } from "./audit/rebuild/rebuild-blobs.js";
import { storage } from "./audit/storage.js";
import { taskStats } from "./audit/task-stats.js";
import { verify } from "./audit/verify.js";
import { writesOf } from "./audit/writes-of.js";
import type { ExportOptions, ImportOptions, ImportReport } from "./backup/backup-types.js";
import { parseExport, parseImport, parseLines } from "./backup/boundary/parse-backup.js";
import { exportThreads } from "./backup/export-threads.js";
import { importThreads } from "./backup/import-threads.js";
import { health } from "./doctor/health.js";
import type { Health } from "./doctor/health-types.js";
import { type CallOptions, unlessIndex } from "./parsing/parse-call-options.js";
import { parsePrune, parseRunIds, parseRunOptions } from "./retention/boundary/parse-prune.js";
import { deleteForRuns } from "./retention/delete-for-runs.js";
import { prune } from "./retention/prune.js";
import type {
  IdleOptions,
  PruneOptions,
  PruneReport,
  RetentionOptions,
  RunDeletionOptions,
} from "./retention/retention-types.js";
import { type CheckpointBatch, runBatch } from "./saver/batch.js";
import {
  type ChannelValuesRequest,
  parseChannelValuesRequest,
} from "./saver/boundary/parse-channel-values.js";
import { parseLookupConfig, parseThreadId } from "./saver/boundary/parse-config.js";
import { parseDeltaRequest } from "./saver/boundary/parse-delta.js";
import { parseListRequest } from "./saver/boundary/parse-list.js";
import { parseSelection, type ReadOptions } from "./saver/boundary/parse-selection.js";
import type { OpenedSaver } from "./saver/call/open-saver.js";
import { callWithSignal, type OperationName, runCall, type SignalSources } from "./saver/call/run-call.js";
import type { SaverCall } from "./saver/call/saver-call.js";
import { channelValues } from "./saver/channel-values.js";
import type { CallEncoding } from "./saver/codec/encode-call.js";
import { nextNumericVersion, nextVersion } from "./saver/codec/next-version.js";
import { deltaChannelHistory } from "./saver/delta-channel-history.js";
import { storeBatch } from "./saver/store.js";
import { listTuples } from "./saver/list-tuples.js";
import type { ChannelReducers } from "./saver/model/channel-reducers.js";
import type { RowCounts } from "./saver/model/row-counts.js";
import { put } from "./saver/put.js";
import { putWrites } from "./saver/put-writes.js";
import { readEachOnce } from "./saver/read-each-once.js";
import { readTuple } from "./saver/read-tuple.js";
import { setUp } from "./saver/set-up.js";
import { isJsonSerializer } from "./serde/json-serializer.js";
import type { CallSubject } from "./telemetry/observed-call.js";
import { parseCopy } from "./threads/boundary/parse-copy.js";
import { parseFork, parseRollback } from "./threads/boundary/parse-fork.js";
import { parseHistory } from "./threads/boundary/parse-history.js";
import {
  type LockedRun,
  parseThreadLock,
  type ThreadLockOptions,
} from "./threads/boundary/parse-thread-lock.js";
import { parseThreadQuery } from "./threads/boundary/parse-threads.js";
import { parseLift, parseTombstoneQuery } from "./threads/boundary/parse-tombstones.js";
import { copyThread } from "./threads/copy-thread.js";
import { fork, type Forker } from "./threads/fork.js";
import { history } from "./threads/history.js";
import { listThreads } from "./threads/list-threads.js";
import { withThreadLock } from "./threads/with-thread-lock.js";
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
import { liftTombstones, listTombstones } from "./threads/tombstones.js";
import { EndableGenerator } from "./watch/endable-generator.js";
import type { WatchOptions } from "./watch/watch-options.js";
import { watchThread } from "./watch/watch-thread.js";

/**
 * The methods of `PostgresSaver` and `ShallowPostgresSaver`. Each one parses its arguments and calls a function of the room
 * that does the work.
 */
export abstract class CheckpointSaver extends BaseCheckpointSaver {
  readonly #opened: OpenedSaver;

  constructor(opened: OpenedSaver) {
    super(opened.serde);
    // LangGraph calls the method without `this` in subgraphs, and the method of a subclass may need it as well.
    const getNextVersion = this.getNextVersion.bind(this);
    Object.defineProperty(this, "getNextVersion", {
      value: getNextVersion,
      writable: true,
      configurable: true,
    });
    this.#opened = opened;
  }

  /**
   * Creates or updates the schema, adopting the tables of an official saver as they are. Any number of processes may
   * call it at once, and where nothing is to be done it only reads.
   *
   * @throws MigrationRequiredError when the role may not do what is missing; it says which command does it.
   * @throws MigrationError when a step fails; nothing is changed then.
   *
   * @example
   * ```ts
   * await checkpointer.setup();
   * ```
   */
  async setup(): Promise<void> {
    await this.#run("setup", {}, nothingToParse, setUp);
  }

  /**
   * Reads the checkpoint that `config` names, or the newest of its namespace when it names none.
   *
   * @param options - How much of it is read; all by default.
   * @returns The tuple, or `undefined` when there is none, or when `config` names no thread.
   * @throws DeserializationError when a value can't be read.
   * @throws DatabaseError when the database refuses.
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
    const parse = () => ({ subject: parseLookupConfig(config), selection: parseSelection(options) });
    return this.#run(
      "getTuple",
      { options, config },
      parse,
      async (call, { subject, selection }) => subject && readTuple(call, subject, selection, this.serde),
    );
  }

  /**
   * Lists checkpoints, newest first, reading them page by page as the caller goes on.
   *
   * @param config - Narrows the list to a thread, a namespace (`""` is the root graph), a checkpoint. A config without
   *   a thread lists all threads; an empty thread is refused.
   * @param options - `before`: only checkpoints older than that one. `filter`: only those whose metadata contains it.
   *   `limit`: at most so many, after all other conditions. `values`, `channels`, `writes`: how much of each is read.
   * @throws InvalidConfigError for an argument that can't be used, at the first `next()` and before any I/O.
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
    const request = parseListRequest(config, options);
    yield* listTuples(callWithSignal(this.#opened.call, { options, config }), request, this.serde);
  }

  /**
   * Stores a checkpoint as the successor of the one that `config` names, with the values of the channels in
   * `newVersions`. The arguments are encoded before the promise is returned: what is changed later is not stored.
   *
   * A value whose channel has no version in `channel_versions` is not stored, as in the official JavaScript saver: nobody has
   * written to that channel yet, and a graph that reads the checkpoint begins the channel with its default again. A default
   * that is another one each time, such as an id or a date, belongs into a node.
   *
   * @returns The config of the new checkpoint.
   * @throws InvalidConfigError for an argument that can't be used, before any I/O.
   * @throws SerializationError for a value that would not read back equal, before anything is written.
   * @throws CheckpointTooLargeError for more than `maxCheckpointBytes`, before anything is written.
   * @throws DatabaseError when the database refuses; nothing is stored then.
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
    newVersions: ChannelVersions,
    options?: CallOptions,
  ): Promise<RunnableConfig> {
    return this.#run("put", { options }, nothingToParse, (call) =>
      put(call, this.#encoding, [config, checkpoint, metadata, newVersions]),
    );
  }

  /**
   * Stores the writes of a task beside the checkpoint that it started from. They may arrive before that checkpoint
   * does. Writes that are there already stay as they are, but for errors, interrupts and resumes, where the last counts.
   *
   * @param taskPath - Where in the graph the task stands; the first key that writes are ordered by.
   * @throws InvalidConfigError for an argument that can't be used, before any I/O.
   * @throws SerializationError for a value that would not read back equal, before anything is written.
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
    return this.#run("putWrites", { options }, nothingToParse, (call) =>
      putWrites(call, this.#encoding, [config, writes, taskId, taskPath]),
    );
  }

  /**
   * Deletes a thread with all of its namespaces. One that does not exist is no error. A checkpoint that somebody is putting just
   * then stays, with all of its values.
   *
   * @throws InvalidConfigError for an empty thread, before any I/O.
   *
   * @example
   * ```ts
   * await checkpointer.deleteThread("42");
   * ```
   */
  override async deleteThread(threadId: string, options?: CallOptions): Promise<void> {
    const parse = () => ({ subject: { threadId: parseThreadId(threadId) } });
    await this.#run("deleteThread", { options: unlessIndex(options) }, parse, (call, { subject }) =>
      storeBatch(call, [{ kind: "deleteThread", threadId: subject.threadId }]),
    );
  }

  /**
   * Sends any number of calls in a constant number of round trips: all of them count or none, as if made one by one.
   *
   * @param run - Makes the calls, on what it is handed; see {@link CheckpointBatch}. If it throws, nothing is sent.
   * @returns What `run` returned, once everything is stored.
   * @throws What one of the calls threw, or a DatabaseError; nothing is stored then.
   *
   * @example
   * ```ts
   * await checkpointer.batch((batch) => Promise.all(imported.map((call) => batch.put(...call))));
   * ```
   */
  async batch<T>(run: (batch: CheckpointBatch) => Promise<T> | T, options?: CallOptions): Promise<T> {
    return this.#run("batch", { options }, nothingToParse, (call) => runBatch(call, this.#encoding, run));
  }

  /**
   * Collects what the ancestors of a checkpoint wrote to delta channels, back to the nearest stored value of each, in
   * one statement whatever the depth.
   *
   * @returns For each channel its writes, oldest first, and the value that they build upon, where there is one.
   *
   * @example
   * ```ts
   * const { messages } = await checkpointer.getDeltaChannelHistory({ config, channels: ["messages"] });
   * ```
   */
  override async getDeltaChannelHistory(
    options: { config: RunnableConfig; channels: string[] } & CallOptions,
  ): Promise<Record<string, DeltaChannelHistory>> {
    const parse = () => parseDeltaRequest(options);
    return this.#run("getDeltaChannelHistory", {}, parse, async (observed, request) => {
      const { subject, channels, walksTasks } = request;
      const call = callWithSignal(observed, { options, config: options.config });
      if (!walksTasks) return deltaChannelHistory(call, subject, channels, this.serde);
      const reader = { getTuple: readEachOnce((config) => this.getTuple(config, { signal: call.signal })) };
      return super.getDeltaChannelHistory.call(reader, options);
    });
  }

  /**
   * Reads one channel of many threads, each from its newest checkpoint, in one statement: the titles of all
   * conversations of a user, say. The sends of checkpoints before version 4 of the format are not stored as a value.
   *
   * @returns The values by thread, in the order of `threadIds`; threads that have none are left out.
   * @throws InvalidConfigError for an argument that can't be used, before any I/O.
   *
   * @example
   * ```ts
   * const titles = await checkpointer.getChannelValues({ threadIds: ["41", "42"], channel: "title" });
   * titles.get("42");
   * ```
   */
  async getChannelValues(
    request: ChannelValuesRequest,
    options?: CallOptions,
  ): Promise<Map<string, unknown>> {
    const parse = () => ({ key: parseChannelValuesRequest(request) });
    return this.#run("getChannelValues", { options }, parse, (call, { key }) =>
      channelValues(call, key, this.serde),
    );
  }

  /**
   * The version of a channel after `current`: larger, and unlike that of any other branch of the thread. It is bound to
   * its saver, since LangGraph calls it without `this` in subgraphs; a subclass may override it. Threads begin with text, as Python's saver writes it; with the
   * `JsonSerializer` they begin with numbers, so that the official JavaScript saver can take them over.
   *
   * @example
   * ```ts
   * checkpointer.getNextVersion(undefined); // "00000000000000000000000000000001.0.0384719283746192"
   * ```
   */
  override getNextVersion(current: number): number;
  override getNextVersion(current: string): string;
  override getNextVersion(current: number | string | undefined): number | string;
  override getNextVersion(current: number | string | undefined): number | string {
    return isJsonSerializer(this.serde) ? nextNumericVersion(current) : nextVersion(current);
  }

  /**
   * Runs a function while no other run has the lock of the thread, in this process or another. It is a lock between those
   * who take it: calls outside of it are not kept off. When the process that holds it dies, the database frees it.
   *
   * All locks of savers that share a pool are held on one connection beside it, so that they take none from it; on a lent
   * Kysely, on one of its own. On PGlite, which one process has to itself, they are held in memory.
   *
   * @param run - Gets a signal that aborts when the lock is lost.
   * @returns What `run` returned.
   * @throws ThreadLockedError when `waitMs` is over.
   * @throws ThreadLockLostError, once `run` has ended, when the connection of the lock died meanwhile.
   * @throws InvalidConfigError on a lent transaction, and for a thread that the caller has locked already.
   * @throws AbortError when the signal ended the wait.
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
  async withThreadLock<T>(threadId: string, run: LockedRun<T>, options?: ThreadLockOptions): Promise<T> {
    return withThreadLock(this.#opened.call, parseThreadLock(threadId, run, options));
  }

  /**
   * Copies a thread with all of its namespaces, checkpoints, values and pending writes, under the same ids. The two share
   * nothing afterwards. A thread that does not exist is no error, and nor is a copy that is made again.
   *
   * It is one transaction: nobody sees a part of the copy, and a call that fails leaves nothing behind. The server copies the
   * rows by itself. With a serializer that binds values to their place (`AesGcmSerializer`) the values go through this
   * process instead, in portions, and a connection is in use until the last one is stored.
   *
   * Both threads may be written to, pruned and deleted meanwhile.
   *
   * @param source - The thread that is copied.
   * @param target - The thread that it is copied to: a new one, or an earlier copy of `source`.
   * @param options - `reencode` writes the copy anew, so that Python's saver goes on with it.
   * @returns How many rows `target` now has of `source`, also those that an earlier copy brought. The bytes are those of `source`.
   * @throws ThreadExistsError when `target` has checkpoints that `source` has not, or has them as they are and `reencode` is
   *   asked for; nothing is written then.
   * @throws DeserializationError, SerializationError when a value can't be read or written anew; it names the channel. So it is
   *   with a value of AES-256-GCM, which is bound to its thread, and a saver without the serializer that wrote it; nothing is
   *   written then.
   * @throws ThreadDeletedError when `target` was deleted for good, with `keepTombstones`.
   * @throws InvalidConfigError for an argument that can't be used, before any I/O.
   *
   * @example
   * ```ts
   * await checkpointer.copyThread("42", "42-what-if");
   * ```
   */
  async copyThread(source: string, target: string, options?: CopyOptions): Promise<RowCounts> {
    const parse = () => ({ threads: parseCopy(source, target, options, this.serde) });
    return this.#run("copyThread", { options }, parse, (call, { threads }) =>
      copyThread(call, threads, this.serde),
    );
  }

  /**
   * Lists threads by their ids, in the order of the database, by steps through the index; the checkpoints of those that it
   * lists are counted, and a `filter` that few threads match is looked up in each that it passes over.
   *
   * @returns A page of them: the next one begins `after` its last, and one shorter than `limit` is the last.
   * @throws InvalidConfigError for an argument that can't be used, before any I/O.
   *
   * @example
   * ```ts
   * let page = await checkpointer.listThreads({ limit: 50, updatedAfter: yesterday });
   * page = await checkpointer.listThreads({ limit: 50, updatedAfter: yesterday, after: page.at(-1)?.threadId });
   * ```
   */
  async listThreads(query?: ThreadQuery): Promise<ThreadSummary[]> {
    const parse = () => ({ request: parseThreadQuery(query) });
    return this.#run("listThreads", { options: query }, parse, (call, { request }) =>
      listThreads(call, request),
    );
  }

  /**
   * Reads the checkpoints of a namespace as a tree of branches, without their values.
   *
   * @throws CorruptCheckpointError when the metadata of a checkpoint is no object.
   *
   * @example
   * ```ts
   * const { head, branches } = await checkpointer.history("42");
   * ```
   */
  async history(threadId: string, options?: HistoryOptions): Promise<ThreadHistory> {
    const parse = () => ({ subject: parseHistory(threadId, options) });
    return this.#run("history", { options }, parse, (call, { subject }) => history(call, subject));
  }

  /**
   * Makes a new checkpoint whose parent is the one that `config` names, or the newest of its namespace: a run that goes on
   * from it begins a branch. Nothing is deleted, and values that don't change are not stored again. Pending writes stay
   * with the checkpoint that they belong to, so that its tasks run anew. Its metadata is that of its parent, with the source
   * `fork`, the next step and no `run_id`: a filter that finds the parent by a key of yours finds it too.
   *
   * @returns The config of the new checkpoint, which is the newest of its namespace where ids are UUIDs.
   * @throws CheckpointNotFoundError when there is no such checkpoint.
   * @throws InvalidConfigError for an argument that can't be used, and for a delta channel that needs a reducer.
   *
   * @example
   * ```ts
   * const fork = await checkpointer.fork(config, { values: { plan: "B" } });
   * await graph.invoke(null, fork);
   * ```
   */
  async fork(config: RunnableConfig, options?: ForkOptions): Promise<RunnableConfig> {
    const parse = () => parseFork(config, options);
    return this.#run("fork", { options }, parse, (call, request) => fork(call, request, this.#forker));
  }

  /**
   * Takes a namespace back to one of its checkpoints: a new one, with the values and the metadata that {@link fork} gives it,
   * becomes the newest. What came
   * after it is still there, on a branch of its own. Other namespaces stay as they are. A run that is under way goes on: wait
   * for its end, or keep runs off by `withThreadLock`.
   *
   * @returns The config of the new checkpoint.
   * @throws CheckpointNotFoundError when there is no such checkpoint.
   * @throws InvalidConfigError for an argument that can't be used, and for a delta channel that needs a reducer.
   *
   * @example
   * ```ts
   * await checkpointer.rollback("42", before.config.configurable.checkpoint_id);
   * await graph.invoke(input, { configurable: { thread_id: "42" } });
   * ```
   */
  async rollback(threadId: string, checkpointId: string, options?: RollbackOptions): Promise<RunnableConfig> {
    const parse = () => parseRollback(threadId, checkpointId, options);
    return this.#run("rollback", { options }, parse, (call, request) => fork(call, request, this.#forker));
  }

  /**
   * Lists the threads that savers with `keepTombstones` have deleted for good, in the order of the database.
   *
   * @returns A page of them; go on with `after`, the last thread of the page.
   * @throws InvalidConfigError for an argument that can't be used, before any I/O.
   * @throws MigrationRequiredError where the tables are too old to have tombstones.
   *
   * @example
   * ```ts
   * const tombstones = await checkpointer.listTombstones({ limit: 20 });
   * ```
   */
  async listTombstones(query?: TombstoneQuery): Promise<Tombstone[]> {
    const parse = () => ({ request: parseTombstoneQuery(query) });
    return this.#run("listTombstones", { options: query }, parse, (call, { request }) =>
      listTombstones(call, request),
    );
  }

  /**
   * Deletes the tombstones of threads, so that savers with `keepTombstones` write to these threads again. What was deleted
   * does not come back. A thread without a tombstone is no error.
   *
   * @param threadIds - The threads; none for an empty list.
   * @returns Those of them that had a tombstone.
   * @throws InvalidConfigError for an argument that can't be used, before any I/O.
   * @throws MigrationRequiredError where the tables are too old to have tombstones.
   *
   * @example
   * ```ts
   * await checkpointer.liftTombstones(["42"]);
   * await checkpointer.importThreads(linesOf("42.ndjson"));
   * ```
   */
  async liftTombstones(threadIds: readonly string[], options?: CallOptions): Promise<string[]> {
    const parse = () => ({ ids: parseLift(threadIds, options) });
    return this.#run("liftTombstones", { options }, parse, (call, { ids }) => liftTombstones(call, ids));
  }

  /**
   * Prunes threads: of each namespace only the newest checkpoint stays, with its pending writes and all of its values.
   * The namespace of a subgraph call goes whole, with the checkpoint that the call started from. What a kept checkpoint needs of older ones stays too: the values that it shares, and for LangGraph's delta channels
   * the ancestors that their values are rebuilt from. Values that no checkpoint refers to go, and writes whose checkpoint
   * never came.
   *
   * It works in transactions of some hundred checkpoints each, and each that has been committed counts, also where the
   * call fails or is ended later. Threads are only read and written to as before meanwhile.
   *
   * @param threadIds - Those that don't exist are no error; an empty list prunes nothing.
   * @param options - `strategy`: `keep_latest`, the default, or `delete`, which deletes the threads whole.
   * @returns What went.
   * @throws InvalidConfigError for an argument that can't be used, before any I/O.
   * @throws DatabaseError when the database refuses.
   *
   * @example
   * ```ts
   * await checkpointer.prune(["41", "42"]);
   * await checkpointer.prune(["43"], { strategy: "delete" });
   * ```
   */
  async prune(threadIds: readonly string[], options?: PruneOptions): Promise<PruneReport>;
  /**
   * Prunes by age and number, all threads or some: a checkpoint goes when it is older than `olderThanMs` and not among the
   * newest `keepLast` of its namespace. The newest checkpoint of a namespace always stays, and so does what a kept
   * checkpoint needs of older ones. Only the namespace of a subgraph call goes whole, once the checkpoint that the call started
   * from goes or is gone and all that the call stored is older than `olderThanMs`. The age is that in the checkpoint's id, a UUID of version 6; ids of another kind have no
   * age, and are never old enough.
   *
   * With `idleForMs` it deletes threads whole in which nothing was stored for a time: those whose newest checkpoint, of any
   * namespace, is older. It looks again after it has locked the checkpoints of a thread, so one that somebody is going on with
   * stays. An id that holds no time counts with the `ts` of its header here, as in `listThreads`.
   *
   * @returns What went, or with `dryRun` what would go.
   * @throws InvalidConfigError for an argument that can't be used, and where no bound is given; before any I/O.
   * @throws DatabaseError when the database refuses; what was committed by then stays done.
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
    const parse = () => ({ request: parsePrune(first, second) });
    return this.#run("prune", { options }, parse, (call, { request }) => prune(call, request));
  }

  /**
   * Deletes the checkpoints whose metadata has one of these as its `run_id`, in all threads and namespaces, with their
   * writes; the newest of a namespace too. Those that stay read as before: what their delta channels are rebuilt from stays
   * with them, even if it is of one of the runs. Values that no checkpoint refers to any more go too.
   *
   * @param runIds - Those that no checkpoint has are no error; an empty list deletes nothing.
   * @param options - `dryRun`: counts what would go, and changes nothing.
   * @returns What went, or with `dryRun` what would go.
   * @throws InvalidConfigError for an argument that can't be used, before any I/O.
   * @throws DatabaseError when the database refuses; what was committed by then stays done.
   *
   * @example
   * ```ts
   * await checkpointer.deleteForRuns(["1f0a2c9e-4b7d-6c3e-8f21-0242ac120002"]);
   * ```
   */
  async deleteForRuns(runIds: readonly string[], options?: RunDeletionOptions): Promise<PruneReport> {
    const parse = () => ({ ...parseRunOptions(options), runIds: parseRunIds(runIds) });
    return this.#run("deleteForRuns", { options }, parse, deleteForRuns);
  }

  /**
   * The writes that are recorded beside a checkpoint, by task path, task and position: what the tasks did that started
   * from it.
   *
   * @param config - Names the checkpoint; the newest of the namespace is meant where it names none.
   * @returns No writes where there is no such checkpoint and nobody wrote anything for it.
   * @throws InvalidConfigError for a config without a thread, before any I/O.
   * @throws DeserializationError when a value can't be read; it names the channel.
   *
   * @example
   * ```ts
   * for (const { taskId, channel, value } of await saver.writesOf({ configurable: { thread_id: "42" } })) {
   *   console.log(taskId, channel, value);
   * }
   * ```
   */
  async writesOf(config: RunnableConfig, options?: CallOptions): Promise<TaskWrite[]> {
    const parse = () => ({ subject: parseTarget(config) });
    return this.#run("writesOf", { options, config }, parse, (call, { subject }) =>
      writesOf(call, subject, this.serde),
    );
  }

  /**
   * How much each task of a thread wrote, by checkpoint, namespace, task path and task. The server counts, and reads no
   * value for it.
   *
   * @throws InvalidConfigError for an argument that can't be used, before any I/O.
   *
   * @example
   * ```ts
   * const stats = await saver.taskStats("42", { checkpointNs: "" });
   * ```
   */
  async taskStats(threadId: string, options?: TaskStatsOptions): Promise<TaskStats[]> {
    const parse = () => ({ subject: parseTaskScope(threadId, options) });
    return this.#run("taskStats", { options }, parse, (call, { subject }) => taskStats(call, subject));
  }

  /**
   * What takes the space: headers, values and writes, in total, by thread and by channel. No value is read for it, but
   * without a thread all rows are gone through once.
   *
   * @throws InvalidConfigError for an argument that can't be used, before any I/O.
   *
   * @example
   * ```ts
   * const { total, channels } = await saver.storage({ limit: 5 });
   * console.log(`${total.writeBytes} bytes of writes beside ${total.blobBytes} bytes of values`);
   * ```
   */
  async storage(query?: StorageQuery): Promise<StorageReport> {
    const parse = () => ({ subject: parseStorageScope(query) });
    return this.#run("storage", { options: query }, parse, (call, { subject }) => storage(call, subject));
  }

  /**
   * What changed between two checkpoints, channel by channel; they may be of two threads. A channel with the same
   * version in both checkpoints of a namespace is the same, and is not read; other channels have changed if their values
   * differ.
   *
   * @param a - Names the first checkpoint; the newest of the namespace is meant where it names none.
   * @param b - Names the second, likewise.
   * @throws InvalidConfigError for a config that can't be used, before any I/O.
   * @throws CheckpointNotFoundError where one of them is not stored.
   * @throws DeserializationError when a value can't be read; it names the channel.
   *
   * @example
   * ```ts
   * const { channels } = await saver.diff(parentConfig, config);
   * const changed = channels.filter(({ change }) => change !== "same");
   * ```
   */
  async diff(a: RunnableConfig, b: RunnableConfig, options?: CallOptions): Promise<CheckpointDiff> {
    const parse = () => ({ targets: [parseTarget(a, "a"), parseTarget(b, "b")] as const });
    return this.#run("diff", { options }, parse, (call, { targets }) => diff(call, targets, this.serde));
  }

  /**
   * Restores the missing values of a checkpoint from what its ancestors' tasks wrote: on the nearest ancestor that has a
   * value of the channel, or from nothing, the writes are applied by the channel's reducer, oldest first. What is stored
   * is not touched. Delta channels have no values of their own, and are left alone, and so are channels of Python that held
   * nothing. Where {@link Auditing.verify} can't tell, a reducer for the channel says that it held something.
   *
   * LangGraph.js records no task paths before 1.5: parallel tasks are applied in the order of their ids then, which need
   * not be that of the graph. A message that was written without an id gets a new one from `messagesStateReducer`.
   *
   * @param config - Names the checkpoint; the newest of the namespace is meant where it names none.
   * @param reducers - One for each channel that is missing, as the graph's annotation has it, but that it is called with
   *   `undefined` at first where no ancestor has a value; `(_, update) => update` for a channel whose last write counts.
   * @returns What was restored; nothing where nothing is missing.
   * @throws InvalidConfigError for a config that can't be used, and for a missing channel without a reducer.
   * @throws CheckpointNotFoundError where the checkpoint is not stored.
   * @throws WritesMissingError where a value can't be told from the writes that are there; nothing is stored then.
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
    const parse = () => ({ subject: parseTarget(config), checked: parseReducers(reducers) });
    return this.#run("rebuildBlobs", { options }, parse, (call, { subject, checked }) =>
      rebuildBlobs(call, subject, checked, this.serde),
    );
  }

  /**
   * Looks at everything that is stored of a thread, or of all threads, whether it can be read back: each row once, page by
   * page, beside running agents. Only what is found is kept in memory.
   *
   * Channels that an engine makes for itself, as `branch:to:…`, are taken for empty where nothing is stored of them at a
   * version that is text, as Python's saver has it. Python's saver stores nothing for any other empty channel either, nor for
   * an `UntrackedValue`: there the step decides in which the channel got its version. It is a problem where that step wrote
   * a value, none where it wrote none, and a notice where this is not recorded: after `durability="exit"`, after a prune,
   * and for an `UntrackedValue` in an update of the state.
   *
   * @throws InvalidConfigError for an argument that can't be used, before any I/O.
   * @throws AbortError when the signal ended it.
   *
   * @example
   * ```ts
   * const { problems } = await saver.verify();
   * for (const { severity, threadId, message } of problems) console.log(severity, threadId, message);
   * ```
   */
  async verify(threadId?: string, options?: VerifyOptions): Promise<VerifyReport> {
    const parse = () => ({ subject: parseVerify(threadId, options) });
    return this.#run("verify", { options }, parse, (call, { subject }) => verify(call, subject, this.serde));
  }

  /**
   * Writes threads out as lines of JSON: a header, the rows as they are stored, and an end with the counts and a checksum.
   * Values are not decoded, so that the key of encrypted ones is not needed. What is held at a time has a bound, however long a
   * thread or a value is: long values come in pieces of 57 KiB.
   *
   * Other processes may write, prune and delete meanwhile. Every checkpoint comes with all of its values and writes as they
   * were at one moment; so do up to 1,000 checkpoints of a thread together. A longer thread is read in portions, the newest
   * first: where it has delta channels, don't prune it at the same time.
   *
   * @returns The lines, without their line feeds.
   * @throws InvalidConfigError for an argument that can't be used, before any I/O.
   * @throws AbortError when the signal ended it.
   *
   * @example
   * ```ts
   * const lines = checkpointer.exportThreads({ threads: ["42"] });
   * await pipeline(lines, async function* (all) { for await (const line of all) yield `${line}\n`; }, createWriteStream("42.ndjson"));
   * ```
   */
  async *exportThreads(options?: ExportOptions): AsyncGenerator<string> {
    const threads = parseExport(options);
    yield* exportThreads(callWithSignal(this.#opened.call, { options }), threads);
  }

  /**
   * Stores what {@link exportThreads} has written, in portions; a value is stored whole, and held for it. Nothing is
   * overwritten: a row that is there and equal is skipped, so that an import that was cut short is begun again and goes on;
   * one that is there and differs ends it.
   *
   * Other processes may write, prune and delete meanwhile. Each portion, of up to 1,000 rows or 8 MB, is one transaction.
   * Where somebody deletes values of a longer thread before the checkpoints that reference them are stored, the import fails
   * with a BackupError; import the backup again then.
   *
   * @param lines - Without their line feeds.
   * @returns What was stored.
   * @throws BackupError for what is no backup, one that is cut off or damaged, rows that are there and differ, and values that
   *   others have deleted meanwhile. It has what was stored until then.
   * @throws ThreadDeletedError with `keepTombstones`, for a thread that was deleted.
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
    const parse = () => ({ onProgress: parseImport(options), checked: parseLines(lines) });
    return this.#run("importThreads", { options }, parse, (call, { onProgress, checked }) =>
      importThreads(call, checked, onProgress),
    );
  }

  /**
   * Yields the checkpoints of a thread that are stored from now on by savers with `notify: true`, in the order of their
   * commits, each once. What savers without it store, and the official ones, is not heard, and yielded only where it is
   * found among what was missed: before the connection stood, or while it was lost.
   *
   * It begins with the first `next()`: what this process begins to store after that call is yielded, whatever becomes of
   * its connections, and so is what others store with an id of a later millisecond. One connection beside the pool hears
   * for all watches of savers on that pool. When it is lost it is made again, and what was stored meanwhile is yielded:
   * checkpoints with larger ids than those that were seen of their namespace.
   *
   * `break`, `return()` (also while somebody waits for `next()`) and `end()` of the saver end it; so does `signal`, upon
   * which `next()` rejects with an AbortError.
   *
   * @throws InvalidConfigError, at the first `next()`, on a Kysely or a transaction that was lent, and behind a pooler in
   *   transaction mode, as far as that can be told: no notifications arrive there.
   * @throws ConnectionError when the database can't be reached within the bound of `retry` in the beginning.
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
      watchThread(call, { threadId, options }, this.serde, [ending, ended.signal]),
    );
  }

  /**
   * Looks whether checkpoints can be stored now. It never rejects, reads only the catalog, tries nothing twice, and gives up
   * after two seconds; with a `signal` when that says so. A PGlite that was not used yet is opened first: that keeps the
   * process busy for seconds, in which no timer fires, and the two seconds begin after it.
   *
   * @example
   * ```ts
   * const { ok, error } = await checkpointer.health({ signal: AbortSignal.timeout(500) });
   * response.writeHead(ok ? 200 : 503).end(error?.code ?? "ok");
   * ```
   */
  async health(options?: CallOptions): Promise<Health> {
    return health(this.#opened.call, options);
  }

  /**
   * Closes what this saver opened; what it was lent stays open. May be called more than once.
   *
   * @example
   * ```ts
   * process.on("SIGTERM", () => void checkpointer.end());
   * ```
   */
  async end(): Promise<void> {
    this.#opened.ended.abort();
    await this.#opened.call.database.close();
  }

  /** Calls {@link end} at the end of a block that declares the saver with `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  /**
   * Runs a call: parses its arguments, observes it, and ends it by its signal.
   *
   * @param sources - Where the caller may have put a signal.
   * @param parse - Called before this method returns. A refusal counts as a failed call. Spans and logs show the `subject` that it
   *   returns.
   * @param work - Gets the context of the call and the parsed arguments.
   */
  #run<Request extends object, Result>(
    name: OperationName,
    sources: SignalSources,
    parse: () => Request,
    work: (call: SaverCall, request: Request) => Promise<Result>,
  ): Promise<Result> {
    return runCall(this.#opened.call, name, async (observed) => {
      const request = parse();
      const { subject }: { readonly subject?: CallSubject | undefined } = request;
      if (subject !== undefined) observed.observer?.about(subject);
      return work(callWithSignal(observed, sources), request);
    });
  }

  get #encoding(): CallEncoding {
    const { sizeCheck, metadataOf } = this.#opened;
    return { serde: this.serde, sizeCheck, metadataOf };
  }

  get #forker(): Forker {
    return {
      serde: this.serde,
      sizeCheck: this.#opened.sizeCheck,
      nextVersion: (current) => this.getNextVersion(current),
    };
  }
}

function nothingToParse(): object {
  return {};
}
