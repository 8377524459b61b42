import { z } from "zod";
import { InvalidConfigError } from "../../errors.js";
import type { PruneProgress } from "../prune/pruning.js";
import { keyText, threadId } from "./keys.js";
import { abortSignal } from "./parse-call-options.js";
import { parse } from "./parse.js";

/** What `prune` is asked for. */
export type PruneRequest = ThreadDeletion | Retention;

/** Threads that are to be deleted. */
export interface ThreadDeletion {
  readonly kind: "delete";
  readonly threads: readonly string[];
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
    signal: abortSignal.nullish(),
  })
  .nullish();

const retentionOptions = z
  .strictObject({
    olderThanMs: z.number().min(0).optional(),
    keepLast: z.number().int().min(1, KEEP_LAST).optional(),
    threads: threadIds.optional(),
    namespaces: z.array(keyText).optional(),
    dryRun: z.boolean().optional(),
    batchSize: z.number().int().min(1).max(MAX_BATCH_SIZE).optional(),
    onProgress: z
      .custom<Retention["onProgress"]>((value) => typeof value === "function", "must be a function")
      .optional(),
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
    return toRetention(parse(retentionOptions, first, "options"));
  }
  const threads = parse(threadIds, first, "threadIds");
  const { strategy = "keep_latest" } = parse(pruneOptions, second, "options") ?? {};
  return strategy === "delete" ? { kind: "delete", threads } : toRetention({ threads, keepLast: 1 });
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
