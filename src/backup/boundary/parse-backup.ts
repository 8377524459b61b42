import { z } from "zod";
import { InvalidConfigError } from "../../errors/index.js";
import type { ExportOptions, ImportOptions } from "../backup-types.js";
import { threadId } from "../../parsing/keys.js";
import { parse } from "../../parsing/parse.js";
import { abortSignal } from "../../parsing/parse-call-options.js";

const exportOptions = z
  .strictObject({ threads: z.array(threadId).optional(), signal: abortSignal.nullish() })
  .nullish();

const listener = z.custom<NonNullable<ImportOptions["onProgress"]>>(
  (value) => typeof value === "function",
  "must be a function",
);
const importOptions = z
  .strictObject({ onProgress: listener.optional(), signal: abortSignal.nullish() })
  .nullish();

/** The threads to write out, each once; `undefined` for all. */
export function parseExport(options: ExportOptions | undefined): readonly string[] | undefined {
  const { threads } = parse(exportOptions, options, "options") ?? {};
  return threads === undefined ? undefined : [...new Set(threads)];
}

/** What tells of the progress of an import. */
export function parseImport(options: ImportOptions | undefined): ImportOptions["onProgress"] {
  return parse(importOptions, options, "options")?.onProgress;
}

/** The lines of a backup: whatever yields them. A text is refused, whose characters would be taken for lines. */
export function parseLines(lines: unknown): AsyncIterable<unknown> | Iterable<unknown> {
  try {
    if (typeof lines === "object" && lines !== null && isIterable(lines)) return lines;
  } catch (error) {
    throw new InvalidConfigError("lines", "could not be read", { cause: error });
  }
  throw new InvalidConfigError("lines", "must be an iterable of lines");
}

function isIterable(value: object): value is AsyncIterable<unknown> | Iterable<unknown> {
  return Symbol.asyncIterator in value || Symbol.iterator in value;
}
