import { firstLineOf, formatLine } from "../parsing/backup-lines.js";
import { numberOfRows } from "../saver/model/row-counts.js";
import { BackupTotals } from "./backup-totals.js";
import { parseChain } from "./boundary/parse-backup.js";
import { chainOf, checkLink, type ChainedBackup, type ReadLine } from "./chained-backup.js";
import { THREAD_BACKUP } from "./parse-line.js";

/**
 * Merges a full backup and its increments into the lines of one full backup: of each thread it yields the rows of the newest backup that
 * has the thread, and nothing of a thread that is gone there. `importThreads` and `checkBackup` take the lines, and a file of
 * them is a new full backup.
 *
 * It reads the newest backup first, and holds the names of the threads in the increments. Whether the backups continue each other is
 * known at the end, so check the lines once before you import them.
 *
 * @param backups - The lines of each backup: the full one first, and then each increment after the one that it continues.
 * @returns The lines, without line feeds.
 * @throws InvalidConfigError for an invalid argument.
 * @throws BackupError where a backup is damaged, where one is missing, or where one does not continue the one before it.
 *
 * @example
 * ```ts
 * const files = ["full.ndjson", "monday.ndjson", "tuesday.ndjson"];
 * const { isIntact } = await checkBackup(mergeBackups(files.map(linesOf)));
 * if (isIntact) await checkpointer.importThreads(mergeBackups(files.map(linesOf)));
 * ```
 */
export async function* mergeBackups(
  backups: readonly (AsyncIterable<string> | Iterable<string>)[],
): AsyncGenerator<string> {
  const totals = new BackupTotals();
  const first = formatLine(firstLineOf(THREAD_BACKUP));
  totals.hash(first);
  yield first;
  const seen = new Set<string>();
  let newer: ChainedBackup | undefined;
  for (const backup of chainOf(parseChain(backups)).reverse()) {
    for await (const { row, text } of unseenRows(backup, seen)) {
      totals.hash(text);
      totals.count(row);
      yield text;
    }
    if (newer !== undefined) checkLink(newer, backup.sha256);
    newer = backup;
  }
  yield formatLine(totals.lastLine());
}

/** Yields the rows of the threads that no newer backup has, and adds the threads of an increment to those seen. */
async function* unseenRows(backup: ChainedBackup, seen: Set<string>): AsyncGenerator<ReadLine> {
  let isUnseen = false;
  for await (const line of backup.rows()) {
    const { row } = line;
    if ("table" in row) isUnseen = !seen.has(row.thread_id);
    if (!("thread" in row)) {
      if (isUnseen) yield line;
      continue;
    }
    if (numberOfRows(row) > 0 && !seen.has(row.thread)) yield line;
    if (backup.since !== "") seen.add(row.thread);
  }
}
