import { z } from "zod";
import { InvalidNamespaceError } from "@langchain/langgraph-checkpoint";
import { type BackupKind, type ChecksumLine, parseFields } from "../parsing/backup-lines.js";
import { keyText } from "../parsing/keys.js";
import { parseNamespace } from "./boundary/parse-namespace.js";
import { toNamespace, toPrefix } from "./queries/item-rows.js";
import type { BackupRow } from "./queries/backed-up-items.js";
import { CheckpointError, type CheckpointErrorOptions } from "../errors/index.js";
import type { ImportItemsReport } from "./store-options.js";

/** Backups of items. */
export const ITEM_BACKUP: BackupKind = {
  format: "langgraph-store-backup",
  version: 1,
  content: "the items of a LangGraph store",
  refuse: (problem, options) => new StoreBackupError(problem, options),
};

/** An item. Its prefix is relative to the root of the store that exported it. */
export interface ItemLine extends BackupRow {
  readonly table: "store";
}

/** The last line of a backup. */
export interface LastItemLine extends ChecksumLine {
  readonly end: ChecksumLine["end"] & {
    readonly items: number;
  };
}

/** As `exactTime` prints it. */
const time = z
  .string()
  .regex(
    /^(?:\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z|-?infinity)$/,
    "must be a time in UTC with microseconds",
  )
  .nullable();

const itemLine = z.strictObject({
  table: z.literal("store"),
  prefix: z.string().superRefine((prefix, context) => {
    const problem = problemOf(prefix);
    if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
  }),
  key: keyText,
  value: z.string().refine(isJsonObject, "must be the text of a JSON object"),
  created_at: time,
  updated_at: time,
  expires_at: time,
  ttl_minutes: z.number().nullable(),
  version: z.int().min(0),
});

const lastLine = z.strictObject({ end: z.strictObject({ items: z.int().min(0), sha256: z.string() }) });

/**
 * Parses any line but the first.
 *
 * @param value - What the line holds.
 * @param number - The number of the line, from 1.
 * @throws StoreBackupError when the line is damaged.
 */
export function parseItemLine(value: unknown, number: number): ItemLine | LastItemLine {
  const isItem = typeof value === "object" && value !== null && "table" in value;
  return isItem
    ? parseFields<ItemLine>(ITEM_BACKUP, itemLine, value, number)
    : parseFields<LastItemLine>(ITEM_BACKUP, lastLine, value, number);
}

/** The prefix of an item relative to the root of a store. */
export function relativePrefix(root: readonly string[], prefix: string): string {
  return toPrefix(toNamespace(prefix).slice(root.length));
}

/** The prefix that an item of a backup gets below the root of a store. Empty if the item has no namespace there. */
export function absolutePrefix(root: readonly string[], prefix: string): string {
  return toPrefix([...root, ...toNamespace(prefix)]);
}

// What another library has stored need not be a namespace that `put` takes.
function problemOf(prefix: string): string | undefined {
  try {
    parseNamespace(toNamespace(prefix));
    return undefined;
  } catch (error) {
    if (error instanceof InvalidNamespaceError) return error.message;
    throw error;
  }
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null;
  } catch {
    return false;
  }
}

/** The options of a {@link StoreBackupError}. */
export interface StoreBackupErrorOptions extends CheckpointErrorOptions {
  readonly line?: number | undefined;
  readonly restored?: ImportItemsReport | undefined;
}

/**
 * A backup of items can't be imported: it is damaged, cut off or not one, or a stored item differs from the backup's.
 *
 * The import keeps the items that it has committed, and skips them when it runs again.
 *
 * @remarks `line` names the place. Import again: what is stored is skipped.
 *
 * @example
 * ```ts
 * if (error instanceof StoreBackupError) log.warn({ line: error.line, restored: error.restored }, error.message);
 * ```
 */
export class StoreBackupError extends CheckpointError {
  override name = "StoreBackupError";
  /** What is wrong, without the number of the line. */
  readonly problem: string;
  /** The number of the line with the problem, from 1. */
  readonly line: number | undefined;
  /** What the import had committed before the error. */
  readonly restored: ImportItemsReport | undefined;

  constructor(problem: string, { line, restored, ...options }: StoreBackupErrorOptions = {}) {
    super("BACKUP_REFUSED", line === undefined ? problem : `line ${line}: ${problem}`, options);
    this.problem = problem;
    this.line = line;
    this.restored = restored;
  }
}
