import type { RunnableConfig } from "@langchain/core/runnables";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import type {
  Auditing,
  RebuiltBlob,
  StorageQuery,
  StorageReport,
  TaskStats,
  TaskStatsOptions,
  TaskWrite,
  VerifyOptions,
  VerifyReport,
} from "./audit/auditing.js";
import type { CheckpointDiff } from "./audit/checkpoint-diff.js";
import { diff } from "./audit/diff.js";
import { rebuildBlobs } from "./audit/rebuild/rebuild-blobs.js";
import { storage } from "./audit/storage.js";
import { taskStats } from "./audit/task-stats.js";
import { verify } from "./audit/verify.js";
import { writesOf } from "./audit/writes-of.js";
import {
  parseReducers,
  parseStorageScope,
  parseTarget,
  parseTaskScope,
  parseVerify,
} from "./audit/boundary/parse-audit.js";
import { type CallOptions, parseCallOptions } from "./parsing/parse-call-options.js";
import type { ChannelReducers } from "./saver/model/channel-reducers.js";
import { parseFork, parseRollback } from "./threads/boundary/parse-fork.js";
import { parseHistory } from "./threads/boundary/parse-history.js";
import { parseCopy } from "./threads/boundary/parse-copy.js";
import { parsePrune, parseRunIds, parseRunOptions } from "./retention/boundary/parse-prune.js";
import { parseThreadQuery } from "./threads/boundary/parse-threads.js";
import { parseLift, parseTombstoneQuery } from "./threads/boundary/parse-tombstones.js";
import type { Backup, ExportOptions, ImportOptions, ImportReport } from "./backup/backup.js";
import { exportThreads } from "./backup/export-threads.js";
import { importThreads } from "./backup/import-threads.js";
import { parseExport, parseImport, parseLines } from "./backup/boundary/parse-backup.js";
import { LangGraphSaver } from "./langgraph-saver.js";
import { copyThread } from "./threads/copy-thread.js";
import { fork, type Forker } from "./threads/fork.js";
import { history } from "./threads/history.js";
import { listThreads } from "./threads/list-threads.js";
import type {
  CopyOptions,
  ForkOptions,
  HistoryOptions,
  RollbackOptions,
  ThreadHistory,
  ThreadLife,
  ThreadQuery,
  ThreadSummary,
  Tombstone,
  TombstoneQuery,
} from "./threads/thread-life.js";
import { liftTombstones, listTombstones } from "./threads/tombstones.js";
import { EndableGenerator } from "./watch/endable-generator.js";
import { health } from "./doctor/health.js";
import { observed, type OperationName } from "./saver/call/observed.js";
import type { Health } from "./doctor/health-types.js";
import type { Observing } from "./observing.js";
import type { WatchOptions } from "./watch/watch-options.js";
import { watchThread } from "./watch/watch-thread.js";
import { deleteForRuns } from "./retention/delete-for-runs.js";
import { prune } from "./retention/prune.js";
import type {
  IdleOptions,
  PruneOptions,
  PruneReport,
  Pruning,
  RetentionOptions,
  RunDeletionOptions,
} from "./retention/pruning.js";
import type { RowCounts } from "./saver/model/row-counts.js";
import type { SaverContext } from "./saver/call/saver-context.js";
import { tablesFor } from "./saver/call/saver-tables.js";
import type { CallSubject } from "./telemetry/observed-call.js";
import type { WritableTables } from "./saver/call/write-rules.js";

/** What a saver does with whole threads, for those who look after them. */
export abstract class ThreadSaver
  extends LangGraphSaver
  implements Auditing, Backup, Observing, Pruning, ThreadLife
{
  readonly #context: SaverContext;

  constructor(context: SaverContext) {
    super(context);
    this.#context = context;
  }

  async copyThread(source: string, target: string, options?: CopyOptions): Promise<RowCounts> {
    const threads = parseCopy(source, target, options, this.serde);
    return this.#observed("copyThread", options, (tables) => copyThread(tables, threads, this.serde));
  }

  async fork(config: RunnableConfig, options?: ForkOptions): Promise<RunnableConfig> {
    const request = parseFork(config, options);
    return this.#observed("fork", options, (tables) => fork(tables, request, this.#forker), request.target);
  }

  async history(threadId: string, options?: HistoryOptions): Promise<ThreadHistory> {
    const key = parseHistory(threadId, options);
    return this.#observed("history", options, (tables) => history(tables, key), key);
  }

  async listThreads(query?: ThreadQuery): Promise<ThreadSummary[]> {
    const request = parseThreadQuery(query);
    return this.#observed("listThreads", query, (tables) => listThreads(tables, request));
  }

  async rollback(threadId: string, checkpointId: string, options?: RollbackOptions): Promise<RunnableConfig> {
    const request = parseRollback(threadId, checkpointId, options);
    return this.#observed(
      "rollback",
      options,
      (tables) => fork(tables, request, this.#forker),
      request.target,
    );
  }

  async listTombstones(query?: TombstoneQuery): Promise<Tombstone[]> {
    const request = parseTombstoneQuery(query);
    return this.#observed("listTombstones", query, (tables) => listTombstones(tables, request));
  }

  async liftTombstones(threadIds: readonly string[], options?: CallOptions): Promise<string[]> {
    const ids = parseLift(threadIds, options);
    return this.#observed("liftTombstones", options, (tables) => liftTombstones(tables, ids));
  }

  async diff(a: RunnableConfig, b: RunnableConfig, options?: CallOptions): Promise<CheckpointDiff> {
    parseCallOptions(options);
    const targets = [parseTarget(a, "a"), parseTarget(b, "b")] as const;
    return this.#observed("diff", options, (tables) => diff(tables, targets, this.serde));
  }

  async rebuildBlobs(
    config: RunnableConfig,
    reducers: ChannelReducers,
    options?: CallOptions,
  ): Promise<RebuiltBlob[]> {
    parseCallOptions(options);
    const [target, checked] = [parseTarget(config), parseReducers(reducers)];
    const rebuild = (tables: WritableTables) => rebuildBlobs(tables, target, checked, this.serde);
    return this.#observed("rebuildBlobs", options, rebuild, target);
  }

  async storage(query?: StorageQuery): Promise<StorageReport> {
    const scope = parseStorageScope(query);
    return this.#observed("storage", query, (tables) => storage(tables, scope), scope);
  }

  async taskStats(threadId: string, options?: TaskStatsOptions): Promise<TaskStats[]> {
    const scope = parseTaskScope(threadId, options);
    return this.#observed("taskStats", options, (tables) => taskStats(tables, scope), scope);
  }

  async verify(threadId?: string, options?: VerifyOptions): Promise<VerifyReport> {
    const request = parseVerify(threadId, options);
    return this.#observed("verify", options, (tables) => verify(tables, request, this.serde), request);
  }

  async writesOf(config: RunnableConfig, options?: CallOptions): Promise<TaskWrite[]> {
    parseCallOptions(options);
    const target = parseTarget(config);
    const read = (tables: WritableTables) => writesOf(tables, target, this.serde);
    return this.#observed("writesOf", options, read, target, config);
  }

  async *exportThreads(options?: ExportOptions): AsyncGenerator<string> {
    const threads = parseExport(options);
    yield* exportThreads(tablesFor(this.#context.tables, options), threads);
  }

  async importThreads(
    lines: AsyncIterable<string> | Iterable<string>,
    options?: ImportOptions,
  ): Promise<ImportReport> {
    const [onProgress, checked] = [parseImport(options), parseLines(lines)];
    return this.#observed("importThreads", options, (tables) => importThreads(tables, checked, onProgress));
  }

  async prune(threadIds: readonly string[], options?: PruneOptions): Promise<PruneReport>;
  async prune(options: RetentionOptions | IdleOptions): Promise<PruneReport>;
  async prune(
    first: readonly string[] | RetentionOptions | IdleOptions,
    second?: PruneOptions,
  ): Promise<PruneReport> {
    const request = parsePrune(first, second);
    const options = Array.isArray(first) ? second : first;
    return this.#observed("prune", options, (tables) => prune(tables, request));
  }

  async deleteForRuns(runIds: readonly string[], options?: RunDeletionOptions): Promise<PruneReport> {
    const request = { ...parseRunOptions(options), runIds: parseRunIds(runIds) };
    return this.#observed("deleteForRuns", options, (tables) => deleteForRuns(tables, request));
  }

  async health(options?: CallOptions): Promise<Health> {
    return health(this.#context.tables, options);
  }

  watch(threadId: string, options?: WatchOptions): AsyncGenerator<CheckpointTuple, undefined> {
    const { tables, ended } = this.#context;
    return new EndableGenerator((ending) =>
      watchThread(tables, { threadId, options }, this.serde, [ending, ended.signal]),
    );
  }

  #observed<T>(
    name: OperationName,
    options: unknown,
    run: (tables: WritableTables) => Promise<T>,
    about?: CallSubject,
    config?: unknown,
  ): Promise<T> {
    const runTold = (tables: WritableTables): Promise<T> => {
      if (about !== undefined) tables.call?.about(about);
      return run(tables);
    };
    return observed(this.#context.tables, name, options, runTold, config);
  }

  get #forker(): Forker {
    return {
      serde: this.serde,
      sizeCheck: this.#context.sizeCheck,
      nextVersion: (current) => this.getNextVersion(current),
    };
  }
}
