import { rowKey } from "../saver/model/row-key.js";
import type { BlobLine, CheckpointLine, RowLine, WriteLine } from "./backup-line.js";

/**
 * Reads several backups that hold rows of the same threads, the latest first, and leaves out rows that a later backup has, so that
 * the latest version of each row counts. It remembers the keys of all rows but those of the last backup.
 */
export class LatestRows {
  readonly #seen = new Set<string>();

  /**
   * Yields the rows of the next backup that no later one has.
   *
   * @param isLast - Whether no earlier backup follows. Then its keys are not remembered.
   */
  async *of(lines: AsyncIterable<RowLine>, isLast: boolean): AsyncGenerator<RowLine> {
    const own: string[] = [];
    let isLeftOut = false;
    for await (const line of lines) {
      if ("table" in line) {
        const key = keyOf(line);
        isLeftOut = this.#seen.has(key);
        if (!isLast && !isLeftOut) own.push(key);
      } else if ("thread" in line) isLeftOut = false;
      // Pieces belong to the row before them.
      if (!isLeftOut) yield line;
    }
    for (const key of own) this.#seen.add(key);
  }
}

/** Identifies a row among the rows of all tables. */
export function keyOf(line: CheckpointLine | BlobLine | WriteLine): string {
  const place = [line.table, line.thread_id, line.checkpoint_ns];
  switch (line.table) {
    case "checkpoints":
      return rowKey(...place, line.checkpoint_id);
    case "checkpoint_blobs":
      return rowKey(...place, line.channel, line.version);
    case "checkpoint_writes":
      return rowKey(...place, line.checkpoint_id, line.task_id, String(line.idx));
  }
}
