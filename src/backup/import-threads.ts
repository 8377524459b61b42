import { throwIfAborted } from "../db/statements/bounded-run.js";
import { BackupError } from "./backup-error.js";
import type { ImportReport } from "./backup-types.js";
import { type BackupCounts, type LastLine, type RowLine } from "./backup-line.js";
import { Ledger } from "./ledger.js";
import { parseFirstLine, parseLine } from "./parse-line.js";
import { Restorer } from "./restorer.js";
import type { SaverCall } from "../saver/call/saver-call.js";

/** Stores the rows of a backup; see `Backup.importThreads`. */
export async function importThreads(
  call: SaverCall,
  lines: AsyncIterable<unknown> | Iterable<unknown>,
  onProgress: ((progress: ImportReport) => void) | undefined,
): Promise<ImportReport> {
  const restorer = new Restorer(call, onProgress);
  try {
    for await (const row of readBackup(lines)) {
      throwIfAborted(call.signal);
      await restorer.add(row);
    }
    return await restorer.end();
  } catch (error) {
    if (!(error instanceof BackupError)) throw error;
    const { line, message, cause, threadId, checkpointNs, checkpointId, channel } = error;
    const problem = line === undefined ? message : message.slice(`line ${line}: `.length);
    throw new BackupError(`${problem}; ${describeRestored(restorer.report)}`, {
      ...{ threadId, checkpointNs, checkpointId, channel, line, cause },
      restored: restorer.report,
    });
  }
}

/**
 * Reads a backup without a database, and tells what is in it.
 *
 * @throws BackupError for what is no backup, and for one that is cut off or damaged.
 */
export async function inspectBackup(
  lines: AsyncIterable<unknown> | Iterable<unknown>,
): Promise<BackupCounts> {
  const ledger = new Ledger();
  for await (const row of readBackup(lines)) ledger.count(row);
  return ledger.counts;
}

/** The rows of a backup; when the last one has come, the backup was found to be complete and undamaged. */
async function* readBackup(lines: AsyncIterable<unknown> | Iterable<unknown>): AsyncGenerator<RowLine> {
  const ledger = new Ledger();
  let number = 0;
  let last: LastLine | undefined;
  for await (const line of lines) {
    number += 1;
    if (last !== undefined) throw new BackupError("there is more behind its end", { line: number });
    const parsed = number === 1 ? parseFirstLine(line) : parseLine(line, number);
    if ("end" in parsed) last = parsed;
    else ledger.hash(String(line));
    if ("format" in parsed || "end" in parsed) continue;
    ledger.count(parsed);
    yield parsed;
  }
  if (number === 0) throw new BackupError("it is empty: this is no backup");
  if (last === undefined) throw new BackupError("it is cut off: its end is missing", { line: number });
  const { end } = ledger.end();
  if (end.sha256 !== last.end.sha256) throw new BackupError("it is damaged: its checksum does not fit");
}

function describeRestored({ threads, checkpoints, writes, blobs, skipped }: ImportReport): string {
  if (checkpoints + writes + blobs + skipped === 0) return "nothing was restored";
  const there = skipped === 0 ? "" : `, and ${skipped} rows were there already`;
  return (
    `restored until then: ${checkpoints} checkpoints, ${writes} writes and ${blobs} values ` +
    `of ${threads} whole threads${there}`
  );
}
