import { z } from "zod";
import { functionSchema } from "../../parsing/function-schema.js";
import { storedThreadId } from "../../parsing/keys.js";
import { abortSignal } from "../../parsing/parse-call-options.js";
import { parse } from "../../parsing/parse.js";
import type { GrowthProgress } from "../growth-types.js";

/** A checked call of `expand` or `compact`. */
export interface GrowthRequest {
  /** All when `undefined`. */
  readonly threads: readonly string[] | undefined;
  readonly dryRun: boolean;
  readonly strict: boolean;
  readonly onProgress: ((progress: GrowthProgress) => void) | undefined;
}

const growthOptions = z
  .strictObject({
    threads: z.array(storedThreadId).optional(),
    dryRun: z.boolean().optional(),
    strict: z.boolean().optional(),
    onProgress: functionSchema<(progress: GrowthProgress) => void>().optional(),
    signal: abortSignal.nullish(),
  })
  .nullish();

/** Checks the options of `expand` and `compact`. */
export function parseGrowth(options: unknown): GrowthRequest {
  const {
    threads,
    dryRun = false,
    strict = false,
    onProgress,
  } = parse(growthOptions, options, "options") ?? {};
  return { threads: threads && [...new Set(threads)], dryRun, strict, onProgress };
}
