import { z } from "zod";
import { functionSchema } from "../../parsing/function-schema.js";
import { abortSignal } from "../../parsing/parse-call-options.js";
import { parse } from "../../parsing/parse.js";
import type { VerifyCheckpointsOptions } from "../model/verify-types.js";

const verifyOptions = z
  .strictObject({
    signal: abortSignal.optional(),
    onProgress: functionSchema<NonNullable<VerifyCheckpointsOptions["onProgress"]>>().optional(),
  })
  .prefault({});

export function parseVerifyOptions(options: unknown): z.output<typeof verifyOptions> {
  return parse(verifyOptions, options, "options");
}
