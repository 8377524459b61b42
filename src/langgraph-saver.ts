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
import type { RunnableConfig } from "@langchain/core/runnables";
import { isJsonSerializer } from "./serde/json/json-serializer.js";
import { type CheckpointBatch, runBatch } from "./saver/batch.js";
import { type CallOptions, unlessIndex } from "./parsing/parse-call-options.js";
import {
  type ChannelValuesRequest,
  parseChannelValuesRequest,
} from "./saver/boundary/parse-channel-values.js";
import { parseLookupConfig, parseThreadId } from "./saver/boundary/parse-config.js";
import { parseDeltaRequest } from "./saver/boundary/parse-delta.js";
import { parseListRequest } from "./saver/boundary/parse-list.js";
import { parseSelection, type ReadOptions } from "./saver/boundary/parse-selection.js";
import {
  type LockedRun,
  parseThreadLock,
  type ThreadLockOptions,
} from "./threads/boundary/parse-thread-lock.js";
import { channelValues } from "./saver/channel-values.js";
import { configOf } from "./saver/codec/config-of.js";
import { sizeOfCheckpoint, sizeOfWrites } from "./saver/codec/call-size.js";
import { type CallEncoding, encodePut, encodePutWrites } from "./saver/codec/encode-call.js";
import { deltaChannelHistory } from "./saver/delta-channel-history.js";
import { listTuples } from "./saver/list-tuples.js";
import { nextNumericVersion, nextVersion } from "./saver/codec/next-version.js";
import { observed } from "./saver/call/observed.js";
import { readEachOnce } from "./saver/read-each-once.js";
import { readTuple } from "./saver/read-tuple.js";
import type { SaverExtensions } from "./saver-extensions.js";
import type { SaverContext } from "./saver/call/saver-context.js";
import { setUpTables, tablesFor } from "./saver/call/saver-tables.js";
import { storeBatch, storeCheckpoint, storeWrites } from "./saver/store.js";
import { withThreadLock } from "./threads/thread-lock.js";
import type { WritableTables } from "./saver/call/write-rules.js";

/** What LangGraph calls a checkpoint saver for, and what every saver of ours does beside that. */
export abstract class LangGraphSaver extends BaseCheckpointSaver implements SaverExtensions {
  readonly #context: SaverContext;

  constructor(context: SaverContext) {
    super(context.serde);
    // LangGraph calls the method without `this` in subgraphs, and the method of a subclass may need it as well.
    const getNextVersion = this.getNextVersion.bind(this);
    Object.defineProperty(this, "getNextVersion", {
      value: getNextVersion,
      writable: true,
      configurable: true,
    });
    this.#context = context;
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
    await observed(this.#context.tables, "setup", undefined, setUpTables);
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
    const read = async (tables: WritableTables): Promise<CheckpointTuple | undefined> => {
      const key = parseLookupConfig(config);
      const selection = parseSelection(options);
      if (key === undefined) return undefined;
      tables.call?.about(key);
      return readTuple(tables, key, selection, this.serde);
    };
    return observed(this.#context.tables, "getTuple", options, read, config);
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
    yield* listTuples(tablesFor(this.#context.tables, options, config), request, this.serde);
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
    return observed(this.#context.tables, "put", options, async (tables) => {
      const encoded = await encodePut(this.#encoding, config, checkpoint, metadata, newVersions);
      tables.call?.about(encoded);
      if (tables.call !== undefined) tables.call.addBytes(sizeOfCheckpoint(encoded).bytes);
      await storeCheckpoint(tables, encoded);
      return configOf(encoded);
    });
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
    await observed(this.#context.tables, "putWrites", options, async (tables) => {
      const encoded = await encodePutWrites(this.#encoding, config, writes, taskId, taskPath);
      tables.call?.about(encoded);
      if (tables.call !== undefined) tables.call.addBytes(sizeOfWrites(encoded).bytes);
      await storeWrites(tables, encoded);
    });
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
    await observed(this.#context.tables, "deleteThread", unlessIndex(options), async (tables) => {
      const thread = parseThreadId(threadId);
      tables.call?.about({ threadId: thread });
      await storeBatch(tables, [{ kind: "deleteThread", threadId: thread }]);
    });
  }

  async batch<T>(run: (batch: CheckpointBatch) => Promise<T> | T, options?: CallOptions): Promise<T> {
    return observed(this.#context.tables, "batch", options, (tables) =>
      runBatch(tables, this.#encoding, run),
    );
  }

  async withThreadLock<T>(threadId: string, run: LockedRun<T>, options?: ThreadLockOptions): Promise<T> {
    return withThreadLock(this.#context.tables, parseThreadLock(threadId, run, options));
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
    const { key, channels, walksTasks } = parseDeltaRequest(options);
    const read = async (tables: WritableTables): Promise<Record<string, DeltaChannelHistory>> => {
      if (key !== undefined) tables.call?.about(key);
      if (!walksTasks) return deltaChannelHistory(tables, key, channels, this.serde);
      const reader = { getTuple: readEachOnce((config) => this.getTuple(config, { signal: tables.signal })) };
      return super.getDeltaChannelHistory.call(reader, options);
    };
    return observed(this.#context.tables, "getDeltaChannelHistory", options, read, options.config);
  }

  async getChannelValues(
    request: ChannelValuesRequest,
    options?: CallOptions,
  ): Promise<Map<string, unknown>> {
    return observed(this.#context.tables, "getChannelValues", options, (tables) =>
      channelValues(tables, parseChannelValuesRequest(request), this.serde),
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
   * Closes what this saver opened; what it was lent stays open. May be called more than once.
   *
   * @example
   * ```ts
   * process.on("SIGTERM", () => void checkpointer.end());
   * ```
   */
  async end(): Promise<void> {
    this.#context.ended.abort();
    await this.#context.tables.database.close();
  }

  /** Does what {@link end} does, at the end of a block that says `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  get #encoding(): CallEncoding {
    const { sizeCheck, metadataOf } = this.#context;
    return { serde: this.serde, sizeCheck, metadataOf };
  }
}
