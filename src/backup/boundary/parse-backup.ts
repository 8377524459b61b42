import { z } from "zod";
import type { ExportOptions, ImportOptions } from "../backup-types.js";
import { functionSchema } from "../../parsing/function-schema.js";
import { threadId } from "../../parsing/keys.js";
import { parse } from "../../parsing/parse.js";
import { abortSignal, staleReadOptions } from "../../parsing/parse-call-options.js";

const exportOptions = staleReadOptions.extend({ threads: z.array(threadId).optional() }).nullish();

const importOptions = z
  .strictObject({
    onProgress: functionSchema<NonNullable<ImportOptions["onProgress"]>>().optional(),
    signal: abortSignal.nullish(),
  })
  .nullish();

/** Parses the options of `exportThreads`: the distinct threads to export, or `undefined` for all. */
export function parseExport(options: ExportOptions | undefined): readonly string[] | undefined {
  const { threads } = parse(exportOptions, options, "options") ?? {};
  return threads === undefined ? undefined : [...new Set(threads)];
}

/** Parses the options of `importThreads`: the listener for its progress. */
export function parseImport(options: ImportOptions | undefined): ImportOptions["onProgress"] {
  return parse(importOptions, options, "options")?.onProgress;
}
