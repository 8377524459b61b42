import { numberOfRows } from "../saver/model/row-counts.js";
import { throwIfAborted } from "../db/statements/cancellation.js";
import { readBackupLines } from "../parsing/backup-lines.js";
import { BackupError } from "./backup-error.js";
import type { ImportReport } from "./backup-types.js";
import type { BackupCounts, RowLine } from "./backup-line.js";
import { BackupTotals } from "./backup-totals.js";
import { parseLine, THREAD_BACKUP } from "./parse-line.js";
import { type ImportRules, PortionImporter } from "./portion-importer.js";
import { RowsOfThreads } from "./rows-of-threads.js";
import type { ImportRequest } from "./boundary/parse-backup.js";
import type { ContextualSerializer } from "../serde/serde-context.js";
import type { SaverCall } from "../saver/call/saver-call.js";

/** Stores the rows of a backup; see `importThreads` of the savers. */
export async function importThreads(
  call: SaverCall,
  lines: AsyncIterable<unknown> | Iterable<unknown>,
  { threads, replaceDamaged, ...rules }: ImportRequest,
  serde: ContextualSerializer,
): Promise<ImportReport> {
  const wanted = threads && new RowsOfThreads(threads);
  const report = await importRows(call, wanted?.of(readBackup(lines)) ?? readBackup(lines), {
    ...rules,
    specials: "replaced",
    serde: replaceDamaged ? serde : undefined,
  });
  return { ...report, missing: wanted?.missing ?? [] };
}

/** Stores rows that were read from a backup. */
export async function importRows(
  call: SaverCall,
  rows: AsyncIterable<RowLine>,
  rules: ImportRules,
): Promise<ImportReport> {
  const importer = new PortionImporter(call, rules);
  try {
    for await (const row of rows) {
      throwIfAborted(call.signal);
      await importer.add(row);
    }
    return await importer.end();
  } catch (error) {
    if (!(error instanceof BackupError)) throw error;
    const { problem, line, cause, threadId, checkpointNs, checkpointId, channel } = error;
    throw new BackupError(`${problem}; ${describeRestored(importer.report)}`, {
      ...{ threadId, checkpointNs, checkpointId, channel, line, cause },
      restored: importer.report,
    });
  }
}

/**
 * Reads a backup without a database, and counts its rows.
 *
 * @throws BackupError when the input is not a backup, or when it is truncated or damaged.
 */
export async function inspectBackup(
  lines: AsyncIterable<unknown> | Iterable<unknown>,
): Promise<BackupCounts> {
  const totals = new BackupTotals();
  for await (const row of readBackup(lines)) totals.count(row);
  return totals.counts;
}

function readBackup(lines: AsyncIterable<unknown> | Iterable<unknown>): AsyncGenerator<RowLine> {
  return readBackupLines<RowLine>(THREAD_BACKUP, lines, parseLine);
}

function describeRestored(report: ImportReport): string {
  const { threads, checkpoints, writes, blobs, skipped } = report;
  if (numberOfRows(report) + skipped === 0) return "nothing was restored";
  const alreadyStored = skipped === 0 ? "" : `; ${skipped} rows were already stored`;
  return (
    `restored before the error: ${checkpoints} checkpoints, ${writes} writes and ${blobs} values ` +
    `of ${threads} complete threads${alreadyStored}`
  );
}
