import {
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointTuple,
  type PendingWrite,
  WRITES_IDX_MAP,
} from "@langchain/langgraph-checkpoint";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { ChannelValuesRequest, ReadOptions } from "../../src/saver/boundary/parse-read.js";
import type { CheckpointBatch } from "../../src/saver/batch.js";
import { bytewise } from "./bytewise.js";
import { contains } from "./contains.js";
import { LAST_FORK } from "./ids.js";
import { type Place, placeOf } from "./place.js";
import { keyOf, type Namespace, ReferenceRows } from "./reference-rows.js";
import { select } from "./select.js";

/**
 * The reference of a saver, in memory: LangGraph's `MemorySaver`, with the differences that are required.
 *
 * Required by LangGraph's conformance suites:
 * - `put` stores only the values of new versions, and every read looks values up by version: a value without a version is
 *   absent,
 * - a channel with a new version and without a value is absent.
 *
 * Like the official Postgres savers:
 * - a checkpoint that is put again keeps its first parent, and a version its first value,
 * - an unchanged scalar of a checkpoint with a parent counts as stored by an ancestor: Python's saver keeps scalars in
 *   headers, where nothing references them by version,
 * - writes are sorted by task path, task id and position, and a replaced write keeps its task path,
 * - a list over several threads or namespaces is sorted by checkpoint id, bytewise, and its limit counts over all of them,
 * - a filter matches metadata that contains it.
 *
 * Only in this library:
 * - `channels`, `values` and `writes` of a read, `getChannelValues`, and `putWrites` without a namespace,
 * - `put` of a checkpoint whose parent was deleted, or lacks the version of a value that is not new, stores all of its values, new or not,
 *   and marks empty channels,
 * - a saver that keeps only the newest checkpoints deletes older ones of the namespace with each put.
 *
 * Calls on whole threads are in `reference-life.ts`.
 */
export class ReferenceSaver implements CheckpointBatch {
  readonly rows: ReferenceRows;
  readonly #keepLast: number | undefined;
  /** Each deleted checkpoint as it was last read, which a run that started before still has in memory. */
  readonly #deleted = new Map<string, CheckpointTuple>();
  /** The namespaces that the current batch has put into. */
  #batched: Namespace[] | undefined;
  #lastFork: string | undefined;

  constructor({ takesBlob, keepLast }: ReferenceOptions) {
    this.rows = new ReferenceRows(takesBlob);
    this.#keepLast = keepLast;
  }

  async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const { thread_id, checkpoint_ns, checkpoint_id: parent } = placeOf(config);
    const place = { thread_id, checkpoint_ns };
    const stored = await this.getTuple({ configurable: { ...place, checkpoint_id: checkpoint.id } });
    const firstParent: unknown =
      stored === undefined ? parent : stored.parentConfig?.configurable?.checkpoint_id;
    const known =
      parent === undefined ? undefined : (await this.getTuple(config))?.checkpoint.channel_versions;
    const lacksValue = ([channel, version]: [string, string | number]): boolean => {
      const value = valueIn(checkpoint.channel_values, channel);
      const isReferenced = !Object.hasOwn(newVersions, channel) && value.length > 0 && !value.some(isScalar);
      return isReferenced && known?.[channel] !== version;
    };
    const isOrphan =
      parent !== undefined &&
      (known === undefined || Object.entries(checkpoint.channel_versions).some(lacksValue));
    const { values, memory } = this.rows;
    for (const [channel, version] of Object.entries(checkpoint.channel_versions)) {
      const key = keyOf(thread_id, checkpoint_ns, channel, version);
      const value = valueIn(checkpoint.channel_values, channel);
      const isNew = Object.hasOwn(newVersions, channel);
      const isCarried = !isNew && parent !== undefined;
      if (isCarried && isOrphan && value.length > 0) values.set(key, value);
      else if ((isNew || (isCarried && (isOrphan || value.some(isScalar)))) && !values.has(key))
        values.set(key, value);
    }
    const following = { configurable: { ...place, checkpoint_id: firstParent } };
    const next = await memory.put(following, { ...checkpoint, channel_values: {} }, metadata);
    const namespace = { thread: thread_id, ns: checkpoint_ns };
    if (this.#batched !== undefined) this.#batched.push(namespace);
    else await this.#settle(namespace);
    return next;
  }

  /** Runs calls as one batch. */
  async batch(run: () => Promise<void>): Promise<void> {
    const put: Namespace[] = [];
    this.#batched = put;
    await run();
    this.#batched = undefined;
    for (const namespace of put) await this.#settle(namespace);
  }

  /** If only the newest checkpoints are kept, deletes older ones in a namespace that was put into. */
  async #settle({ thread, ns }: Namespace): Promise<void> {
    if (this.#keepLast === undefined) return;
    const tuples = await this.rows.tuples(thread, ns);
    const oldestKept = tuples[this.#keepLast - 1];
    if (oldestKept !== undefined) {
      const place = placeOf(oldestKept.config);
      for (const { config } of tuples.slice(this.#keepLast)) await this.deleteCheckpoint(placeOf(config));
      for (const id of this.rows.writtenTo({ thread, ns })) {
        if (bytewise([id], [place.checkpoint_id ?? ""]) < 0) this.rows.drop({ ...place, checkpoint_id: id });
      }
    }
    await this.rows.sweep({ thread, ns });
  }

  async putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath = "",
  ): Promise<void> {
    const place = placeOf(config);
    await this.rows.memory.putWrites({ configurable: place }, writes, taskId);
    const key = [place.thread_id, place.checkpoint_ns, place.checkpoint_id] as const;
    const { taskPaths } = this.rows;
    for (const [position, [channel]] of writes.entries()) {
      const row = keyOf(...key, `${taskId},${WRITES_IDX_MAP[channel] ?? position}`);
      if (!taskPaths.has(row)) taskPaths.set(row, taskPath);
    }
    this.rows.sortWrites(keyOf(...key));
  }

  async deleteThread(threadId: string): Promise<void> {
    for (const { config } of await this.rows.tuples(threadId)) await this.deleteCheckpoint(placeOf(config));
    await this.rows.dropThread(threadId);
  }

  async getTuple(config: RunnableConfig, options?: ReadOptions): Promise<CheckpointTuple | undefined> {
    const [tuple] = await this.list({ configurable: placeOf(config) }, options);
    return tuple;
  }

  async list(
    { configurable = {} }: RunnableConfig,
    { before, limit, filter = {}, ...selection }: CheckpointListOptions & ReadOptions = {},
  ): Promise<CheckpointTuple[]> {
    const { thread_id, checkpoint_ns, checkpoint_id }: Partial<Place> = configurable;
    const tuples = await this.rows.tuples(thread_id, checkpoint_ns);
    const bound: unknown = before?.configurable?.checkpoint_id;
    return tuples
      .filter(({ checkpoint: { id } }) => checkpoint_id === undefined || id === checkpoint_id)
      .filter(({ checkpoint: { id } }) => typeof bound !== "string" || bytewise([id], [bound]) < 0)
      .filter(({ metadata }) => contains(metadata, filter))
      .slice(0, limit)
      .map((tuple) => select(this.#withValues(tuple), selection));
  }

  async getChannelValues(request: ChannelValuesRequest): Promise<Map<string, unknown>> {
    const { threadIds, channel, checkpointNs = "" } = request;
    const values = new Map<string, unknown>();
    for (const threadId of threadIds.map(String)) {
      const tuple = await this.getTuple({
        configurable: { thread_id: threadId, checkpoint_ns: checkpointNs },
      });
      for (const value of valueIn(tuple?.checkpoint.channel_values ?? {}, channel))
        values.set(threadId, value);
    }
    return values;
  }

  /** Deletes a checkpoint and its writes, and remembers it. */
  async deleteCheckpoint(place: Place): Promise<void> {
    const tuple = await this.getTuple({ configurable: place });
    if (tuple !== undefined) this.#deleted.set(keyOf(place), tuple);
    this.rows.drop(place);
  }

  /** A checkpoint as a run knows it that has read it before, deleted or not. */
  async recall(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    return (await this.getTuple(config)) ?? this.#deleted.get(keyOf(placeOf(config)));
  }

  /** Resolves the id in a step: the id of the last fork isn't known when the history is generated. */
  idOf<Id extends string | undefined>(name: Id): Id | string {
    return name === LAST_FORK ? (this.#lastFork ?? LAST_FORK) : name;
  }

  noteFork(id: string): void {
    this.#lastFork = id;
  }

  #withValues(tuple: CheckpointTuple): CheckpointTuple {
    const { thread_id, checkpoint_ns } = placeOf(tuple.config);
    const found = Object.entries(tuple.checkpoint.channel_versions).flatMap(([channel, version]) =>
      (this.rows.values.get(keyOf(thread_id, checkpoint_ns, channel, version)) ?? []).map(
        (value) => [channel, value] as const,
      ),
    );
    return { ...tuple, checkpoint: { ...tuple.checkpoint, channel_values: Object.fromEntries(found) } };
  }
}

export interface ReferenceOptions {
  /** Whether a value is stored in its own row. */
  readonly takesBlob: (value: unknown) => boolean;
  /** Whether this is the reference of a `ShallowPostgresSaver`. */
  readonly keepLast?: number | undefined;
}

/** The value of a channel in an array, which is empty without a value; `null` is a value. */
function valueIn(values: Readonly<Record<string, unknown>>, channel: string): unknown[] {
  return Object.hasOwn(values, channel) ? [values[channel]] : [];
}

function isScalar(value: unknown): boolean {
  return value === null || typeof value !== "object";
}
