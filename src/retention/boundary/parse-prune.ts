import { z } from "zod";
import { InvalidConfigError } from "../../errors/index.js";
import type { PruneProgress } from "../retention-types.js";
import { keyText, storedThreadId } from "../../parsing/keys.js";
import { abortSignal } from "../../parsing/parse-call-options.js";
import { parse } from "../../parsing/parse.js";

/** A checked call of `prune`. */
export type PruneRequest = ThreadDeletion | IdleDeletion | RetentionRequest;

/** Deletes whole threads. */
export interface ThreadDeletion {
  readonly kind: "delete";
  readonly threads: readonly string[];
  readonly dryRun: boolean;
}

/** Deletes idle threads, with the options of the caller. */
export type IdleDeletion = { readonly kind: "deleteIdle" } & z.output<typeof idleOptions>;

/** Deletes old checkpoints, and keeps the newest ones (C9). At least one of the two bounds is narrower than its default. */
export interface RetentionRequest extends z.output<typeof retentionOptions> {
  readonly kind: "retain";
  /** How many of the newest checkpoints of each namespace to keep; at least one. */
  readonly keepLast: number;
}

/** A checked call of `deleteForRuns`. */
export interface RunDeletion extends RunOptions {
  readonly runIds: readonly string[];
}

type RunOptions = z.output<typeof runOptions>;

type OnProgress = (progress: PruneProgress) => void;

const DEFAULT_BATCH_SIZE = 500;

/** Batches keep transactions short; larger ones would hold their locks for too long. */
const MAX_BATCH_SIZE = 10_000;

const KEEP_LAST =
  'must be 1 or more: prune always keeps the newest checkpoint; to delete whole threads, use the strategy "delete"';

const threadIds = z.array(storedThreadId).transform(unique);

const dryRun = z.boolean().default(false);

// Whether orphans are deleted without a proof.
const deleteUnproven = z.boolean().default(false);

const signal = abortSignal.nullish();

const runOptions = z.strictObject({ dryRun, deleteUnproven, signal });

const pruneOptions = z.strictObject({
  strategy: z.enum(["keep_latest", "delete"]).default("keep_latest"),
  ...runOptions.shape,
});

const onProgress = z
  .custom<OnProgress>((value) => typeof value === "function", "must be a function")
  .optional();

const idleOptions = z.strictObject({
  idleForMs: z.number().min(0).or(z.literal(Infinity)),
  threads: threadIds.optional(),
  dryRun,
  onProgress,
  signal,
});

const retentionOptions = z
  .strictObject({
    olderThanMs: z.number().min(0).optional(),
    keepLast: z.number().int().min(1, KEEP_LAST).optional(),
    threads: threadIds.optional(),
    namespaces: z.array(keyText).optional(),
    dryRun,
    deleteUnproven,
    batchSize: z.number().int().min(1).max(MAX_BATCH_SIZE).default(DEFAULT_BATCH_SIZE),
    onProgress,
    signal,
  })
  .refine(
    ({ olderThanMs, keepLast }) => olderThanMs !== undefined || keepLast !== undefined,
    "must have olderThanMs or keepLast",
  );

/** Checks the arguments of `prune`, in either of its forms. */
export function parsePrune(first: unknown, second: unknown): PruneRequest {
  // `parse` refuses what throws here: no object, or a revoked proxy.
  if (!holds(() => Array.isArray(first))) {
    if (second !== undefined) throw new InvalidConfigError("threadIds", "must be an array");
    if (holds(() => Reflect.has(first as object, "idleForMs")))
      return { kind: "deleteIdle", ...parse(idleOptions, first, "options") };
    const options = parse(retentionOptions, first, "options");
    return { kind: "retain", ...options, keepLast: options.keepLast ?? 1 };
  }
  const threads = parse(threadIds, first, "threadIds");
  const { strategy, dryRun, deleteUnproven } = parse(pruneOptions, second ?? {}, "options");
  return strategy === "delete"
    ? { kind: "delete", threads, dryRun }
    : { kind: "retain", threads, keepLast: 1, dryRun, deleteUnproven, batchSize: DEFAULT_BATCH_SIZE };
}

/** Checks the run ids of `deleteForRuns`, and drops duplicates. */
export function parseRunIds(value: unknown): string[] {
  return parse(runIds, value, "runIds");
}

const runIds = z.array(keyText.refine((id) => id !== "", "must not be empty")).transform(unique);

/** Checks the options of `deleteForRuns`. */
export function parseRunOptions(value: unknown): RunOptions {
  return parse(runOptions, value ?? {}, "options");
}

function unique(items: readonly string[]): string[] {
  return [...new Set(items)];
}

function holds(condition: () => boolean): boolean {
  try {
    return condition();
  } catch {
    return false;
  }
}
