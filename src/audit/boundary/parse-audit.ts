import { z } from "zod";
import type { CheckpointKey, NamespaceKey } from "../../saver/model/checkpoint-key.js";
import type { VerifyProgress } from "../audit-types.js";
import type { ChannelReducer, ChannelReducers } from "../../saver/model/channel-reducers.js";
import type { StorageScope } from "../queries/measure-storage.js";
import type { TaskScope } from "../queries/measure-tasks.js";
import { checkpointNs, keyText, optionalCheckpointId, recordOf, threadId } from "../../parsing/keys.js";
import { parse } from "../../parsing/parse.js";

/** A checkpoint as a call names it; the newest of the namespace where it gives no id. */
export type CheckpointTarget = NamespaceKey & Partial<CheckpointKey>;

const target = z.object({
  configurable: z.object({
    thread_id: threadId,
    checkpoint_ns: checkpointNs,
    checkpoint_id: optionalCheckpointId,
  }),
});

/** A checkpoint that must be named, by its thread at least. */
export function parseTarget(config: unknown, name = "config"): CheckpointTarget {
  const { configurable } = parse(target, config, name);
  const { thread_id, checkpoint_ns, checkpoint_id } = configurable;
  const key = { threadId: thread_id, checkpointNs: checkpoint_ns };
  return checkpoint_id === undefined ? key : { ...key, checkpointId: checkpoint_id };
}

// What signals are is looked at where they are used.
const signal = z.unknown().optional();

const taskOptions = z
  .strictObject({ checkpointNs: keyText.optional(), checkpointId: keyText.optional(), signal })
  .nullish();

/** Whose tasks are counted. */
export function parseTaskScope(thread: unknown, options: unknown): TaskScope {
  const parsed = parse(taskOptions, options, "options");
  return {
    threadId: parse(threadId, thread, "threadId"),
    checkpointNs: parsed?.checkpointNs,
    checkpointId: parsed?.checkpointId,
  };
}

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100_000;

const storageQuery = z
  .strictObject({
    // An empty thread or `null` went wrong on its way, and must not ask for all.
    threadId: threadId.optional(),
    limit: z.number().int().min(0).max(MAX_LIMIT).optional(),
    signal,
  })
  .nullish();

/** What is measured. */
export function parseStorageScope(query: unknown): StorageScope {
  const parsed = parse(storageQuery, query, "query");
  return { threadId: parsed?.threadId, limit: parsed?.limit ?? DEFAULT_LIMIT };
}

const listener = z.custom<(progress: VerifyProgress) => void>(isFunction, "must be a function");
const verifyOptions = z.strictObject({ onProgress: listener.optional(), signal }).nullish();

/** What is verified, and who is told how far it is. */
export interface VerifyRequest {
  /** All threads where it is `undefined`. */
  readonly threadId: string | undefined;
  readonly onProgress: (progress: VerifyProgress) => void;
}

export function parseVerify(thread: unknown, options: unknown): VerifyRequest {
  const parsed = parse(verifyOptions, options, "options");
  return {
    threadId: parse(threadId.optional(), thread, "threadId"),
    onProgress: parsed?.onProgress ?? ignore,
  };
}

const reducers = recordOf(z.string(), z.custom<ChannelReducer>(isFunction, "must be a function"));

/** How channels put what was written to them together. */
export function parseReducers(value: unknown): ChannelReducers {
  return parse(reducers, value, "reducers");
}

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}

function ignore(): void {
  // Nobody asked how far it is.
}
