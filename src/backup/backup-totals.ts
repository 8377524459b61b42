import { LinesChecksum } from "../parsing/backup-lines.js";
import { NO_ROWS } from "../saver/model/row-counts.js";
import type { BackupCounts, BlobLine, CheckpointLine, LastLine, RowLine, WriteLine } from "./backup-line.js";
import { base64ByteLength } from "./whole-rows.js";

/** Counts the rows of a backup and computes its checksum, while the backup is written or read. */
export class BackupTotals {
  readonly #checksum = new LinesChecksum();
  #counts: BackupCounts = { ...NO_ROWS, threads: 0 };
  /** The row whose pieces follow, and how many of its bytes have come. */
  #piecedRow: { readonly line: BlobLine | WriteLine; readonly bytes: number; received: number } | undefined;

  get counts(): BackupCounts {
    return this.#counts;
  }

  /** Adds a line to the checksum. */
  hash(text: string): void {
    this.#checksum.add(text);
  }

  /** Counts a row. A row in pieces counts once its last piece has come, and a cancelled row does not count. */
  count(line: RowLine): void {
    if ("thread" in line) this.#counts = { ...this.#counts, threads: this.#counts.threads + 1 };
    else if ("cancelled" in line) this.#piecedRow = undefined;
    else if ("piece" in line) this.#countPiece(base64ByteLength(line.piece));
    else if ("bytes" in line) this.#piecedRow = { line, bytes: line.bytes, received: 0 };
    else this.#add(line, "blob" in line ? base64ByteLength(line.blob ?? "") : 0);
  }

  /** The last line of the backup. Call it once, after all other lines. */
  lastLine(): LastLine {
    return { end: { ...this.#counts, sha256: this.#checksum.digest() } };
  }

  #countPiece(bytes: number): void {
    const row = this.#piecedRow;
    if (row === undefined) return;
    row.received += bytes;
    if (row.received < row.bytes) return;
    this.#add(row.line, row.bytes);
    this.#piecedRow = undefined;
  }

  #add({ table }: CheckpointLine | BlobLine | WriteLine, bytes: number): void {
    const counts = this.#counts;
    this.#counts = {
      threads: counts.threads,
      checkpoints: counts.checkpoints + (table === "checkpoints" ? 1 : 0),
      writes: counts.writes + (table === "checkpoint_writes" ? 1 : 0),
      blobs: counts.blobs + (table === "checkpoint_blobs" ? 1 : 0),
      bytes: counts.bytes + bytes,
    };
  }
}
