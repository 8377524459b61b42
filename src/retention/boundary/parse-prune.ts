import { z } from "zod";
import { InvalidConfigError } from "../../errors/index.js";
import type { PruneProgress } from "../retention-types.js";
import { keyText, threadId } from "../../parsing/keys.js";
import { abortSignal } from "../../parsing/parse-call-options.js";
import { parse } from "../../parsing/parse.js";

/** What `prune` is asked for. */
export type PruneRequest = ThreadDeletion | IdleDeletion | Retention;

/** Threads that are to be deleted. */
export interface ThreadDeletion {
  readonly kind: "delete";
  readonly threads: readonly string[];
  readonly dryRun: boolean;
}

/** Threads that are to be deleted where they have been idle. */
export interface IdleDeletion {
  readonly kind: "deleteIdle";
  /** How old the newest checkpoint has to be. */
  readonly idleForMs: number;
  /** `undefined` for all. */
  readonly threads: readonly string[] | undefined;
  readonly dryRun: boolean;
  readonly onProgress: (progress: PruneProgress) => void;
}

/** What stays of threads. At least one of the two bounds narrows it. */
export interface Retention {
  readonly kind: "retain";
  /** Checkpoints that are younger stay. */
  readonly olderThanMs: number | undefined;
  /** So many of the newest stay of each namespace: one, or more. */
  readonly keepLast: number;
  /** `undefined` for all. */
  readonly threads: readonly string[] | undefined;
  /** `undefined` for all. */
  readonly namespaces: readonly string[] | undefined;
  readonly dryRun: boolean;
  /** How many checkpoints go in one transaction, at most. */
  readonly batchSize: number;
  readonly onProgress: (progress: PruneProgress) => void;
}

const DEFAULT_BATCH_SIZE = 500;

/** More at once would hold its locks for long, which a batch is there to avoid. */
const MAX_BATCH_SIZE = 10_000;

const KEEP_LAST =
  'must be 1 or more: the newest checkpoint always stays; to delete threads whole use the strategy "delete"';

const threadIds = z.array(threadId).transform(eachOnce);

const pruneOptions = z
  .strictObject({
    strategy: z.enum(["keep_latest", "delete"]).optional(),
    dryRun: z.boolean().optional(),
    signal: abortSignal.nullish(),
  })
  .nullish();

const onProgress = z
  .custom<Retention["onProgress"]>((value) => typeof value === "function", "must be a function")
  .optional();

const idleOptions = z.strictObject({
  idleForMs: z.number().min(0),
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
    batchSize: z.number().int().min(1).max(MAX_BATCH_SIZE).optional(),
    onProgress,
    signal: abortSignal.nullish(),
  })
  .refine(
    ({ olderThanMs, keepLast }) => olderThanMs !== undefined || keepLast !== undefined,
    "must have olderThanMs or keepLast",
  );

/** The arguments of `prune`, in either of its forms. */
export function parsePrune(first: unknown, second: unknown): PruneRequest {
  if (!isArray(first)) {
    if (second !== undefined) throw new InvalidConfigError("threadIds", "must be an array");
    return hasIdleTime(first)
      ? toIdleDeletion(parse(idleOptions, first, "options"))
      : toRetention(parse(retentionOptions, first, "options"));
  }
  const threads = parse(threadIds, first, "threadIds");
  const { strategy = "keep_latest", dryRun = false } = parse(pruneOptions, second, "options") ?? {};
  return strategy === "delete"
    ? { kind: "delete", threads, dryRun }
    : toRetention({ threads, keepLast: 1, dryRun });
}

/** Whether threads are to be deleted whole. An object that can't be looked at is refused with the others. */
function hasIdleTime(value: unknown): boolean {
  try {
    return typeof value === "object" && value !== null && Reflect.has(value, "idleForMs");
  } catch {
    return false;
  }
}

function toIdleDeletion(options: z.output<typeof idleOptions>): IdleDeletion {
  const { idleForMs, threads, dryRun = false, onProgress: tell = ignore } = options;
  return { kind: "deleteIdle", idleForMs, threads, dryRun, onProgress: tell };
}

/** The runs that `deleteForRuns` is asked to delete, each once. */
export function parseRunIds(value: unknown): string[] {
  return parse(runIds, value, "runIds");
}

const runIds = z.array(keyText.refine((id) => id !== "", "must not be empty")).transform(eachOnce);

/** The options of `deleteForRuns`. */
export function parseRunOptions(value: unknown): { readonly dryRun: boolean } {
  const { dryRun = false } = parse(runOptions, value, "options") ?? {};
  return { dryRun };
}

const runOptions = z
  .strictObject({ dryRun: z.boolean().optional(), signal: abortSignal.nullish() })
  .nullish();

function toRetention(options: Partial<z.output<typeof retentionOptions>>): Retention {
  return {
    kind: "retain",
    olderThanMs: options.olderThanMs,
    keepLast: options.keepLast ?? 1,
    threads: options.threads,
    namespaces: options.namespaces,
    dryRun: options.dryRun ?? false,
    batchSize: options.batchSize ?? DEFAULT_BATCH_SIZE,
    onProgress: options.onProgress ?? ignore,
  };
}

function eachOnce(items: readonly string[]): string[] {
  return [...new Set(items)];
}

/** A Proxy that was revoked throws here already. */
function isArray(value: unknown): boolean {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
}

function ignore(): void {
  // Nobody asked.
}
