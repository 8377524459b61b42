import { z } from "zod";
import { functionSchema } from "../../parsing/function-schema.js";
import { parse } from "../../parsing/parse.js";
import { abortSignal } from "../../parsing/parse-call-options.js";
import type { ExportItemsOptions, ImportItemsOptions } from "../backup/item-backup-types.js";
import { parseNamespace } from "./parse-namespace.js";

const exportOptions = z
  .strictObject({ namespace: z.unknown().optional(), signal: abortSignal.nullish() })
  .nullish();

const importOptions = z
  .strictObject({
    onProgress: functionSchema<NonNullable<ImportItemsOptions["onProgress"]>>().optional(),
    signal: abortSignal.nullish(),
  })
  .nullish();

/** Parses the options of `exportItems`: the labels of the namespace to export, none for everything. */
export function parseExportItems(options: ExportItemsOptions | undefined): string[] {
  const { namespace = [] } = parse(exportOptions, options, "options") ?? {};
  return parseNamespace(namespace);
}

/** Parses the options of `importItems`: the listener for its progress. */
export function parseImportItems(options: ImportItemsOptions | undefined): ImportItemsOptions["onProgress"] {
  return parse(importOptions, options, "options")?.onProgress;
}
