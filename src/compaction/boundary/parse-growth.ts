import { z } from "zod";
import { functionSchema, parse } from "../../parsing/parse.js";
import { storedThreadId } from "../../parsing/keys.js";
import { abortSignal } from "../../parsing/parse-call-options.js";
import type { GrowthProgress } from "../growth-types.js";

/** A checked call of `expand` or `compact`. */
export type GrowthRequest = z.output<typeof growthOptions>;

const growthOptions = z.strictObject({
  // All when absent.
  threads: z
    .array(storedThreadId)
    .transform((threads) => [...new Set(threads)])
    .optional(),
  dryRun: z.boolean().default(false),
  strict: z.boolean().default(false),
  onProgress: functionSchema<(progress: GrowthProgress) => void>().optional(),
  signal: abortSignal.nullish(),
});

/** Checks the options of `expand` and `compact`. */
export function parseGrowth(options: unknown): GrowthRequest {
  return parse(growthOptions, options ?? {}, "options");
}
