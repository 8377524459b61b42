import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { checkedSerializer } from "../../serde/serializer-layer.js";
import { MsgpackSerializer } from "../../serde/msgpack/msgpack-serializer.js";
import type { ContextualSerializer } from "../../serde/serde-context.js";
import type { ExportOptions, ImportOptions } from "../backup-types.js";
import type { BackupCheckOptions } from "../check/check-types.js";
import { functionSchema, linesOfBackup, parse } from "../../parsing/parse.js";
import { storedThreadId } from "../../parsing/keys.js";
import { abortSignal, staleReadOptions } from "../../parsing/parse-call-options.js";

const chain = z.array(linesOfBackup).min(1, "must have at least one backup");
const exportOptions = staleReadOptions
  .extend({
    threads: z.array(storedThreadId).optional(),
    since: chain.optional(),
    onDamaged: functionSchema<NonNullable<ExportOptions["onDamaged"]>>().optional(),
  })
  .nullish();

const importOptions = z
  .strictObject({
    threads: z.array(storedThreadId).optional(),
    replaceDamaged: z.boolean().optional(),
    strict: z.boolean().optional(),
    onProgress: functionSchema<NonNullable<ImportOptions["onProgress"]>>().optional(),
    signal: abortSignal.nullish(),
  })
  .nullish();

/** The lines of backups that continue each other, the full one first. */
export type BackupChain = readonly (AsyncIterable<unknown> | Iterable<unknown>)[];

/** A checked call of `exportThreads`. */
export interface ExportRequest {
  /** The distinct threads to export; absent for all. */
  readonly threads?: readonly string[] | undefined;
  /** The earlier backups, for an increment. */
  readonly since?: BackupChain | undefined;
  readonly onDamaged?: ExportOptions["onDamaged"];
}

/** Parses the options of `exportThreads`. */
export function parseExport(options: ExportOptions | undefined): ExportRequest {
  const { threads, since, onDamaged } = parse(exportOptions, options, "options") ?? {};
  return { threads: threads === undefined ? undefined : [...new Set(threads)], since, onDamaged };
}

/** Parses the argument of `mergeBackups`. */
export function parseChain(backups: unknown): BackupChain {
  return parse(chain, backups, "backups");
}

/** A checked call of `importThreads`. */
export interface ImportRequest {
  /** All when `undefined`. */
  readonly threads: readonly string[] | undefined;
  readonly replaceDamaged: boolean;
  readonly strict: boolean;
  readonly onProgress: ImportOptions["onProgress"];
}

/** Parses the options of `importThreads`, and drops duplicates of threads. */
export function parseImport(options: ImportOptions | undefined): ImportRequest {
  const {
    threads,
    replaceDamaged = false,
    strict = false,
    onProgress,
  } = parse(importOptions, options, "options") ?? {};
  return { threads: threads && [...new Set(threads)], replaceDamaged, strict, onProgress };
}

const checkOptions = z
  .strictObject({
    serde: z
      .union([
        z.literal(false),
        z.custom<SerializerProtocol>(
          (value) => typeof value === "object" && value !== null,
          "must be a serializer",
        ),
      ])
      .optional(),
    signal: abortSignal.nullish(),
  })
  .nullish();

/** A checked call of `checkBackup`. */
interface BackupCheckRequest {
  /** Absent: values are not decoded. */
  readonly serde: ContextualSerializer | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Parses the options of `checkBackup`. */
export function parseBackupCheck(options: BackupCheckOptions | undefined): BackupCheckRequest {
  const { serde = new MsgpackSerializer(), signal } = parse(checkOptions, options, "options") ?? {};
  return { serde: serde === false ? undefined : checkedSerializer(serde), signal: signal ?? undefined };
}
