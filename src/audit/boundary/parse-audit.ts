import { z } from "zod";
import type { CheckpointKey, NamespaceKey } from "../../saver/model/keys.js";
import type { VerifyProgress } from "../audit-types.js";
import type { StorageProgress } from "../storage-types.js";
import type { ChannelReducer, ChannelReducers } from "../../saver/model/channel-reducers.js";
import type { StoragePart } from "../queries/measure-storage.js";
import type { AllTasksScope, TaskScope } from "../queries/measure-tasks.js";
import { InvalidConfigError } from "../../errors/index.js";
import { functionSchema, parse } from "../../parsing/parse.js";
import {
  checkpointNs,
  keyText,
  optionalCheckpointId,
  recordOf,
  storedThreadId,
  threadId,
} from "../../parsing/keys.js";
import { staleReadOptions } from "../../parsing/parse-call-options.js";

/** The checkpoint of a call; without an id the newest of the namespace. */
export type CheckpointTarget = NamespaceKey & Partial<CheckpointKey>;

const target = z.object({
  configurable: z.object({
    thread_id: threadId,
    checkpoint_ns: checkpointNs,
    checkpoint_id: optionalCheckpointId,
  }),
});

/** Parses a config that names a checkpoint, or at least its thread. */
export function parseTarget(config: unknown, name = "config"): CheckpointTarget {
  const { configurable } = parse(target, config, name);
  const { thread_id, checkpoint_ns, checkpoint_id } = configurable;
  const key = { threadId: thread_id, checkpointNs: checkpoint_ns };
  return checkpoint_id === undefined ? key : { ...key, checkpointId: checkpoint_id };
}

// The runner of the call checks the signal.
const auditOptions = staleReadOptions.extend({ signal: z.unknown().optional() });

const taskOptions = auditOptions
  .extend({ checkpointNs: keyText.optional(), checkpointId: keyText.optional() })
  .nullish();

/** Parses the arguments of `taskStats`. */
export function parseTaskScope(thread: unknown, options: unknown): TaskScope {
  const parsed = parse(taskOptions, options, "options");
  return {
    threadId: parse(storedThreadId, thread, "threadId"),
    checkpointNs: parsed?.checkpointNs,
    checkpointId: parsed?.checkpointId,
  };
}

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100_000;

const limit = z.number().int().min(0).max(MAX_LIMIT).default(DEFAULT_LIMIT);
const taskQuery = auditOptions.extend({
  // `null` is a mistake of the caller, and must not select all threads.
  threadId: storedThreadId.optional(),
  checkpointNs: keyText.optional(),
  since: z.date().optional(),
  limit,
});

/** Parses the query of `taskStats`. */
export function parseTaskQuery(query: object): AllTasksScope {
  const parsed = parse(taskQuery, query, "query");
  return {
    ...{ threadId: parsed.threadId, checkpointNs: parsed.checkpointNs },
    ...{ since: parsed.since, limit: parsed.limit },
  };
}

const storageQuery = auditOptions
  .extend({
    threadId: storedThreadId.optional(),
    checkpointId: keyText.min(1).optional(),
    checkpointNs: keyText.optional(),
    limit,
    sample: z.number().gt(0).max(1).optional(),
    onProgress: functionSchema<(progress: StorageProgress) => void>().optional(),
  })
  .refine(({ threadId: thread, sample }) => thread === undefined || sample === undefined, {
    path: ["sample"],
    message: "is drawn from all threads: name none",
  })
  .refine(({ threadId: thread, checkpointId }) => checkpointId === undefined || thread !== undefined, {
    path: ["threadId"],
    message: "names the thread of the checkpoint",
  })
  .refine(({ checkpointId, checkpointNs: ns }) => ns === undefined || checkpointId !== undefined, {
    path: ["checkpointId"],
    message: "names the checkpoint of the namespace",
  })
  .prefault({});

/** The parsed query of `storage`. */
export interface StorageRequest extends Pick<StoragePart, "checkpoint"> {
  /** `undefined` measures all threads. */
  readonly threadId: string | undefined;
  /** The most threads and channels to list. */
  readonly limit: number;
  /** The share of all threads that is measured, below 1. `undefined` measures all. */
  readonly sample: number | undefined;
  readonly onProgress: ((progress: StorageProgress) => void) | undefined;
}

/** Parses the query of `storage`. */
export function parseStorage(query: unknown): StorageRequest {
  const parsed = parse(storageQuery, query ?? {}, "query");
  const { threadId: thread, checkpointId, checkpointNs: ns = "" } = parsed;
  return {
    threadId: thread,
    checkpoint: checkpointId === undefined ? undefined : { checkpointId, checkpointNs: ns },
    ...{ limit: parsed.limit, onProgress: parsed.onProgress },
    sample: parsed.sample === 1 ? undefined : parsed.sample,
  };
}

const verifyOptions = auditOptions
  .extend({
    onProgress: functionSchema<(progress: VerifyProgress) => void>().optional(),
    sample: z.number().gt(0).max(1).optional(),
    since: z.date().optional(),
  })
  .nullish();

/** The parsed arguments of `verify`. */
export interface VerifyRequest {
  /** `undefined` verifies all threads. */
  readonly threadId: string | undefined;
  readonly onProgress: ((progress: VerifyProgress) => void) | undefined;
  /** The share of all threads that is verified. Default: 1. */
  readonly sample?: number | undefined;
  /** The earliest time of the newest checkpoint of a thread. Default: any. */
  readonly since?: Date | undefined;
}

/** Parses the arguments of `verify`. */
export function parseVerify(thread: unknown, options: unknown): VerifyRequest {
  const { onProgress, sample, since } = parse(verifyOptions, options, "options") ?? {};
  const threadId = parse(storedThreadId.optional(), thread, "threadId");
  if (threadId !== undefined && (sample !== undefined || since !== undefined))
    throw new InvalidConfigError("options", "sample and since choose among all threads: name none");
  return { threadId, onProgress, sample, since };
}

const reducers = recordOf(z.string(), functionSchema<ChannelReducer>());

/** Parses the reducers of `rebuildBlobs`. */
export function parseReducers(value: unknown): ChannelReducers {
  return parse(reducers, value, "reducers");
}
