import {
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointTuple,
  MemorySaver,
  type PendingWrite,
  WRITES_IDX_MAP,
} from "@langchain/langgraph-checkpoint";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { ChannelValuesRequest } from "../../src/saver/boundary/parse-channel-values.js";
import type { ReadOptions } from "../../src/saver/boundary/parse-selection.js";
import type { CheckpointBatch } from "../../src/saver/batch.js";
import { collect } from "../support/checkpoints.js";
import { contains } from "./contains.js";
import { placeOf } from "./place.js";
import { select } from "./select.js";

/**
 * What a saver must do, in memory: LangGraph's `MemorySaver`, and what is required of a saver where that one differs.
 *
 * Required by LangGraph's conformance suites:
 * - of the values that a `put` brings only those of new versions are stored, and every read looks values up by their
 *   versions: one without a version is not there,
 * - a channel with a new version and no value is absent when read.
 *
 * As the official Postgres savers have it:
 * - a checkpoint that is put again keeps its first parent, and a version its first value,
 * - a scalar that is not new, but comes along with a parent, counts as stored by an ancestor: Python's saver keeps
 *   scalars in headers, where nothing refers to them by version,
 * - writes are sorted by task path, task id and position, and a write that is replaced keeps its task path,
 * - a list over several threads or namespaces is sorted by checkpoint id, bytewise; its limit counts over all of them,
 * - a filter matches what it is contained in.
 *
 * Our own: `channels`, `values` and `writes` of a read, `getChannelValues`, and `putWrites` without a namespace.
 */
export class ReferenceSaver implements CheckpointBatch {
  readonly #memory = new MemorySaver();
  readonly #threads = new Map<string, ThreadState>();

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
    const { values } = this.#stateOf(thread_id);
    for (const [channel, version] of Object.entries(checkpoint.channel_versions)) {
      const key = valueKey(checkpoint_ns, channel, version);
      const value = valueIn(checkpoint.channel_values, channel);
      const isCarried = parent !== undefined && value.some(isScalar);
      const isStored = Object.hasOwn(newVersions, channel) || isCarried;
      if (isStored && !values.has(key)) values.set(key, value);
    }
    const following = { configurable: { ...place, checkpoint_id: firstParent } };
    return this.#memory.put(following, { ...checkpoint, channel_values: {} }, metadata);
  }

  async putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath = "",
  ): Promise<void> {
    const place = placeOf(config);
    await this.#memory.putWrites({ configurable: place }, writes, taskId);
    const key = JSON.stringify([place.thread_id, place.checkpoint_ns, place.checkpoint_id]);
    const { taskPaths } = this.#stateOf(place.thread_id);
    for (const [position, [channel]] of writes.entries()) {
      const row = key + rowKey(taskId, WRITES_IDX_MAP[channel] ?? position);
      if (!taskPaths.has(row)) taskPaths.set(row, taskPath);
    }
    const rows = Object.entries(this.#memory.writes[key] ?? {});
    const orderOf = (row: string) => [taskPaths.get(key + row) ?? "", ...splitRowKey(row)] as const;
    rows.sort(([a], [b]) => compare(orderOf(a), orderOf(b)));
    this.#memory.writes[key] = Object.fromEntries(rows);
  }

  async deleteThread(threadId: string): Promise<void> {
    this.#threads.delete(threadId);
    await this.#memory.deleteThread(threadId);
  }

  async getTuple(config: RunnableConfig, options?: ReadOptions): Promise<CheckpointTuple | undefined> {
    const [tuple] = await this.list({ configurable: placeOf(config) }, options);
    return tuple;
  }

  async list(
    config: RunnableConfig,
    { before, limit, filter = {}, ...selection }: CheckpointListOptions & ReadOptions = {},
  ): Promise<CheckpointTuple[]> {
    const tuples = await collect(this.#memory.list(config, before && { before }));
    return tuples
      .filter(({ metadata }) => contains(metadata, filter))
      .sort((a, b) => compare(keyOfTuple(b), keyOfTuple(a)))
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

  #withValues(tuple: CheckpointTuple): CheckpointTuple {
    const { thread_id, checkpoint_ns } = placeOf(tuple.config);
    const { values } = this.#stateOf(thread_id);
    const found = Object.entries(tuple.checkpoint.channel_versions).flatMap(([channel, version]) =>
      (values.get(valueKey(checkpoint_ns, channel, version)) ?? []).map((value) => [channel, value] as const),
    );
    return { ...tuple, checkpoint: { ...tuple.checkpoint, channel_values: Object.fromEntries(found) } };
  }

  #stateOf(threadId: string): ThreadState {
    const state = this.#threads.get(threadId) ?? { values: new Map(), taskPaths: new Map() };
    this.#threads.set(threadId, state);
    return state;
  }
}

/** What `MemorySaver` does not know of a thread. */
interface ThreadState {
  /** The first value of each version, in an array; an empty array where it was stored without one. */
  readonly values: Map<string, readonly unknown[]>;
  readonly taskPaths: Map<string, string>;
}

function valueKey(ns: string, channel: string, version: number | string): string {
  return JSON.stringify([ns, channel, version]);
}

/** In an array, which is empty where there is no value: `null` is one. */
function valueIn(values: Readonly<Record<string, unknown>>, channel: string): unknown[] {
  return Object.hasOwn(values, channel) ? [values[channel]] : [];
}

function isScalar(value: unknown): boolean {
  return value === null || typeof value !== "object";
}

// As `MemorySaver` spells it.
function rowKey(taskId: string, idx: number): string {
  return `${taskId},${idx}`;
}

function splitRowKey(row: string): readonly [taskId: string, idx: number] {
  const comma = row.lastIndexOf(",");
  return [row.slice(0, comma), Number(row.slice(comma + 1))];
}

function keyOfTuple({ config }: CheckpointTuple): readonly string[] {
  const { thread_id, checkpoint_ns, checkpoint_id = "" } = placeOf(config);
  return [checkpoint_id, thread_id, checkpoint_ns];
}

/** Text by its bytes, numbers by their size; the first difference decides. */
function compare(a: readonly (string | number)[], b: readonly (string | number)[]): number {
  for (const [index, left] of a.entries()) {
    const right = b[index] ?? "";
    if (left === right) continue;
    if (typeof left === "number") return left - Number(right);
    return Buffer.compare(Buffer.from(left), Buffer.from(String(right)));
  }
  return 0;
}
