import { z } from "zod";
import { InvalidConfigError } from "../../errors/index.js";
import type { PruneProgress } from "../retention-types.js";
import { keyText, storedThreadId } from "../../parsing/keys.js";
import { abortSignal } from "../../parsing/parse-call-options.js";
import { parse } from "../../parsing/parse.js";

/** A checked call of `prune`. */
export type PruneRequest = ThreadDeletion | IdleDeletion | Retention;

/** Deletes whole threads. */
export interface ThreadDeletion {
  readonly kind: "delete";
  readonly threads: readonly string[];
  readonly dryRun: boolean;
}

/** Deletes idle threads. */
export interface IdleDeletion {
  readonly kind: "deleteIdle";
  /** The least age of the newest checkpoint of a thread that has no time to live of its own. */
  readonly idleForMs: number;
  /** All when `undefined`. */
  readonly threads: readonly string[] | undefined;
  readonly dryRun: boolean;
  readonly onProgress: OnProgress | undefined;
}

/** Deletes old checkpoints, and keeps the newest ones (C9). At least one of the two bounds is narrower than its default. */
export interface Retention {
  readonly kind: "retain";
  /** Keeps checkpoints that are younger. */
  readonly olderThanMs: number | undefined;
  /** How many of the newest checkpoints of each namespace to keep; at least one. */
  readonly keepLast: number;
  /** All when `undefined`. */
  readonly threads: readonly string[] | undefined;
  /** All when `undefined`. */
  readonly namespaces: readonly string[] | undefined;
  readonly dryRun: boolean;
  /** Whether orphans are deleted without a proof. */
  readonly deleteUnproven: boolean;
  /** How many checkpoints one transaction deletes at most. */
  readonly batchSize: number;
  readonly onProgress: OnProgress | undefined;
}

/** A checked call of `deleteForRuns`. */
export interface RunDeletion {
  readonly runIds: readonly string[];
  readonly dryRun: boolean;
  /** Whether orphans are deleted without a proof. */
  readonly deleteUnproven: boolean;
}

type OnProgress = (progress: PruneProgress) => void;

const DEFAULT_BATCH_SIZE = 500;

/** Batches keep transactions short; larger ones would hold their locks for too long. */
const MAX_BATCH_SIZE = 10_000;

const KEEP_LAST =
  'must be 1 or more: prune always keeps the newest checkpoint; to delete whole threads, use the strategy "delete"';

const threadIds = z.array(storedThreadId).transform(unique);

const pruneOptions = z
  .strictObject({
    strategy: z.enum(["keep_latest", "delete"]).optional(),
    dryRun: z.boolean().optional(),
    deleteUnproven: z.boolean().optional(),
    signal: abortSignal.nullish(),
  })
  .nullish();

const onProgress = z
  .custom<OnProgress>((value) => typeof value === "function", "must be a function")
  .optional();

const idleOptions = z.strictObject({
  idleForMs: z.number().min(0).or(z.literal(Infinity)),
  threads: threadIds.optional(),
  dryRun: z.boolean().optional(),
  onProgress,
  signal: abortSignal.nullish(),
});

const retentionOptions = z
  .strictObject({
    olderThanMs: z.number().min(0).optional(),
    keepLast: z.number().int().min(1, KEEP_LAST).optional(),
    threads: threadIds.optional(),
    namespaces: z.array(keyText).optional(),
    dryRun: z.boolean().optional(),
    deleteUnproven: z.boolean().optional(),
    batchSize: z.number().int().min(1).max(MAX_BATCH_SIZE).optional(),
    onProgress,
    signal: abortSignal.nullish(),
  })
  .refine(
    ({ olderThanMs, keepLast }) => olderThanMs !== undefined || keepLast !== undefined,
    "must have olderThanMs or keepLast",
  );

/** Checks the arguments of `prune`, in either of its forms. */
export function parsePrune(first: unknown, second: unknown): PruneRequest {
  if (!isArray(first)) {
    if (second !== undefined) throw new InvalidConfigError("threadIds", "must be an array");
    return hasIdleTime(first)
      ? toIdleDeletion(parse(idleOptions, first, "options"))
      : toRetention(parse(retentionOptions, first, "options"));
  }
  const threads = parse(threadIds, first, "threadIds");
  const {
    strategy = "keep_latest",
    dryRun = false,
    deleteUnproven = false,
  } = parse(pruneOptions, second, "options") ?? {};
  return strategy === "delete"
    ? { kind: "delete", threads, dryRun }
    : toRetention({ threads, keepLast: 1, dryRun, deleteUnproven });
}

/** Whether the options are for idle threads. `parse` refuses what throws here: no object, or a revoked proxy. */
function hasIdleTime(value: unknown): boolean {
  try {
    return Reflect.has(value as object, "idleForMs");
  } catch {
    return false;
  }
}

function toIdleDeletion(options: z.output<typeof idleOptions>): IdleDeletion {
  const { idleForMs, threads, dryRun = false, onProgress } = options;
  return { kind: "deleteIdle", idleForMs, threads, dryRun, onProgress };
}

/** Checks the run ids of `deleteForRuns`, and drops duplicates. */
export function parseRunIds(value: unknown): string[] {
  return parse(runIds, value, "runIds");
}

const runIds = z.array(keyText.refine((id) => id !== "", "must not be empty")).transform(unique);

/** Checks the options of `deleteForRuns`. */
export function parseRunOptions(value: unknown): Omit<RunDeletion, "runIds"> {
  const { dryRun = false, deleteUnproven = false } = parse(runOptions, value, "options") ?? {};
  return { dryRun, deleteUnproven };
}

const runOptions = z
  .strictObject({
    dryRun: z.boolean().optional(),
    deleteUnproven: z.boolean().optional(),
    signal: abortSignal.nullish(),
  })
  .nullish();

function toRetention(options: Partial<z.output<typeof retentionOptions>>): Retention {
  return {
    kind: "retain",
    olderThanMs: options.olderThanMs,
    keepLast: options.keepLast ?? 1,
    threads: options.threads,
    namespaces: options.namespaces,
    dryRun: options.dryRun ?? false,
    deleteUnproven: options.deleteUnproven ?? false,
    batchSize: options.batchSize ?? DEFAULT_BATCH_SIZE,
    onProgress: options.onProgress,
  };
}

function unique(items: readonly string[]): string[] {
  return [...new Set(items)];
}

/** `Array.isArray` throws for a revoked proxy. */
function isArray(value: unknown): boolean {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
}
