import type { RowLine } from "../backup/backup-line.js";
import { type CollectedRows, collectRow, WholeRows } from "../backup/whole-rows.js";

/** The rows of a thread in a backup that may mend it. */
export interface BackupRows extends CollectedRows {
  readonly threadId: string;
}

/** Selects rows by what their lines say, before their values are decoded. */
export type RowChoice = (line: Extract<RowLine, { readonly table: string }>) => boolean;

/**
 * Yields the rows of a backup, one thread after another, without those that are not chosen. The rows of one thread are in memory.
 *
 * @param isChosen - Whether a row may be needed.
 */
export async function* backupThreads(
  lines: AsyncIterable<RowLine>,
  isChosen: RowChoice,
): AsyncGenerator<BackupRows> {
  // The pieces of a row that is not chosen follow none.
  const whole = new WholeRows(false);
  let rows: CollectedRows = { checkpoints: [], writes: [], blobs: [] };
  for await (const line of lines) {
    if ("table" in line && !isChosen(line)) continue;
    const row = whole.add(line);
    if (row === undefined) continue;
    if (!("thread" in row)) collectRow(rows, row);
    else {
      yield { ...rows, threadId: row.thread };
      rows = { checkpoints: [], writes: [], blobs: [] };
    }
  }
}
