import { z } from "zod";
import { functionSchema, parse } from "../../parsing/parse.js";
import { storedThreadId } from "../../parsing/keys.js";
import { abortSignal } from "../../parsing/parse-call-options.js";
import { parsePrune, type PruneRequest } from "../../retention/boundary/parse-prune.js";
import type { ArchiveTarget, RestoreOptions } from "../archive-types.js";
import { DEFAULT_FORMAT, type FileFormat, FORMATS } from "../files/compression.js";

/** A checked call of `archive`. */
export interface ArchiveRequest {
  readonly rule: PruneRequest;
  readonly target: ArchiveTarget;
  readonly filesPer: "thread" | "run";
  readonly format: FileFormat;
}

/** A checked call of `restore`. */
export interface RestoreRequest {
  readonly target: ArchiveTarget;
  /** All when `undefined`. */
  readonly threads: readonly string[] | undefined;
  readonly liftTombstones: boolean;
  readonly strict: boolean;
  readonly onProgress: RestoreOptions["onProgress"];
}

const functions = z.object({
  write: functionSchema<ArchiveTarget["write"]>(),
  read: functionSchema<ArchiveTarget["read"]>(),
  list: functionSchema<ArchiveTarget["list"]>(),
});

/** The schema of a target. The methods of a class need their object, so the target itself is kept. */
export const archiveTarget = z.custom<ArchiveTarget>(
  (value) => functions.safeParse(value).success,
  "must have the functions write, read and list",
);

const archiveOptions = z.looseObject({
  to: archiveTarget,
  filesPer: z.enum(["thread", "run"]).optional(),
  compression: z
    .enum(["zstd", "gzip"])
    .refine((name) => FORMATS[name] !== undefined, "needs Node.js 22.15 or newer")
    .optional(),
});

const threadArchive = z.looseObject({ strategy: z.literal("delete"), threads: z.unknown() });

const restoreOptions = z.strictObject({
  from: archiveTarget,
  threads: z.array(storedThreadId).optional(),
  liftTombstones: z.boolean().optional(),
  strict: z.boolean().optional(),
  onProgress: functionSchema<NonNullable<RestoreOptions["onProgress"]>>().optional(),
  signal: abortSignal.nullish(),
});

/** Checks the options of `archive`. The rule is checked as `prune` checks its own. */
export function parseArchive(options: unknown): ArchiveRequest {
  const { to, filesPer = "thread", compression, ...rule } = parse(archiveOptions, options, "options");
  const format = (compression && FORMATS[compression]) ?? DEFAULT_FORMAT;
  return { target: to, filesPer, format, rule: parseRule(rule) };
}

function parseRule(rule: Readonly<Record<string, unknown>>): PruneRequest {
  if (rule.strategy === undefined) return parsePrune(rule, undefined);
  const { threads, ...others } = parse(threadArchive, rule, "options");
  return parsePrune(threads, others);
}

/** Checks the options of `restore`, and drops duplicates of threads. */
export function parseRestore(options: unknown): RestoreRequest {
  const {
    from,
    threads,
    liftTombstones = false,
    strict = false,
    onProgress,
  } = parse(restoreOptions, options, "options");
  return { target: from, threads: threads && [...new Set(threads)], liftTombstones, strict, onProgress };
}
