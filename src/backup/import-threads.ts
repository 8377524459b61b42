import { throwIfAborted } from "../db/statements/bounded-run.js";
import { BackupError } from "./backup-error.js";
import type { ImportReport } from "./backup-types.js";
import { type BackupCounts, type LastLine, type RowLine } from "./backup-line.js";
import { BackupTotals } from "./backup-totals.js";
import { parseFirstLine, parseLine } from "./parse-line.js";
import { PortionImporter } from "./portion-importer.js";
import type { SaverCall } from "../saver/call/saver-call.js";

/** Stores the rows of a backup; see `importThreads` of the savers. */
export async function importThreads(
  call: SaverCall,
  lines: AsyncIterable<unknown> | Iterable<unknown>,
  onProgress: ((progress: ImportReport) => void) | undefined,
): Promise<ImportReport> {
  const importer = new PortionImporter(call, onProgress);
  try {
    for await (const row of readBackup(lines)) {
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

/** Yields the rows of a backup. It ends without an error only when the backup is complete and its checksum matches. */
async function* readBackup(lines: AsyncIterable<unknown> | Iterable<unknown>): AsyncGenerator<RowLine> {
  const totals = new BackupTotals();
  let number = 0;
  let last: LastLine | undefined;
  for await (const line of lines) {
    number += 1;
    if (last !== undefined)
      throw new BackupError("the backup continues after its last line", { line: number });
    const parsed = number === 1 ? parseFirstLine(line) : parseLine(line, number);
    if ("end" in parsed) last = parsed;
    else totals.hash(String(line));
    if ("format" in parsed || "end" in parsed) continue;
    totals.count(parsed);
    yield parsed;
  }
  if (number === 0) throw new BackupError("the backup is empty");
  if (last === undefined)
    throw new BackupError("the backup is truncated: its last line is missing", { line: number });
  const { end } = totals.lastLine();
  if (end.sha256 !== last.end.sha256)
    throw new BackupError("the backup is damaged: its checksum does not match");
}

function describeRestored({ threads, checkpoints, writes, blobs, skipped }: ImportReport): string {
  if (checkpoints + writes + blobs + skipped === 0) return "nothing was restored";
  const alreadyStored = skipped === 0 ? "" : `; ${skipped} rows were already stored`;
  return (
    `restored before the error: ${checkpoints} checkpoints, ${writes} writes and ${blobs} values ` +
    `of ${threads} complete threads${alreadyStored}`
  );
}
