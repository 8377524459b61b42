import { z } from "zod";
import { functionSchema } from "../../parsing/function-schema.js";
import { keyText } from "../../parsing/keys.js";
import { abortSignal } from "../../parsing/parse-call-options.js";
import { parse } from "../../parsing/parse.js";
import type { CopyCheckpointsOptions } from "../model/copy-types.js";

const MAX_CONCURRENCY = 1_000;

const copyOptions = z
  .strictObject({
    signal: abortSignal.optional(),
    after: keyText.optional(),
    dryRun: z.boolean().default(false),
    maxConcurrency: z.int().min(1).max(MAX_CONCURRENCY).default(16),
    onProgress: functionSchema<NonNullable<CopyCheckpointsOptions["onProgress"]>>().optional(),
  })
  .prefault({});

export function parseCopyOptions(options: unknown): z.output<typeof copyOptions> {
  return parse(copyOptions, options, "options");
}
