import type { BlobLine, RowLine, WriteLine } from "../backup/backup-line.js";
import { decodeBase64 } from "../backup/base64.js";
import { PiecedValue } from "../backup/pieced-value.js";
import type { RestoredBlob, RestoredCheckpoint, RestoredWrite } from "../saver/queries/restored-rows.js";

/** The rows of a thread in a backup that may mend it. */
export interface BackupRows {
  readonly threadId: string;
  readonly checkpoints: RestoredCheckpoint[];
  readonly writes: RestoredWrite[];
  readonly blobs: RestoredBlob[];
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
  let rows = emptyRows("");
  let pieced: PiecedValue | undefined;
  for await (const line of lines) {
    if ("thread" in line) {
      yield { ...rows, threadId: line.thread };
      rows = emptyRows("");
    } else if ("cancelled" in line) pieced = undefined;
    else if ("piece" in line) {
      const value = pieced?.add(decodeBase64(line.piece));
      if (pieced === undefined || value === undefined) continue;
      addValue(rows, pieced.line, value);
      pieced = undefined;
    } else if (!isChosen(line)) continue;
    else if (line.table === "checkpoints") rows.checkpoints.push(line);
    else if ("bytes" in line) pieced = new PiecedValue(line);
    else addValue(rows, line, line.blob === null ? null : decodeBase64(line.blob));
  }
}

function emptyRows(threadId: string): BackupRows {
  return { threadId, checkpoints: [], writes: [], blobs: [] };
}

function addValue({ blobs, writes }: BackupRows, line: BlobLine | WriteLine, blob: Uint8Array | null): void {
  if (line.table === "checkpoint_blobs") blobs.push({ ...line, blob });
  else writes.push({ ...line, blob });
}
