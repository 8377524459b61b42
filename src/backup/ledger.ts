import { createHash } from "node:crypto";
import { NO_ROWS } from "../saver/model/row-counts.js";
import type { BackupCounts, BlobLine, CheckpointLine, LastLine, RowLine, WriteLine } from "./backup-line.js";

/** Keeps the counts and the checksum of the lines of a backup, be it written or read. */
export class Ledger {
  readonly #hash = createHash("sha256");
  #counts: BackupCounts = { ...NO_ROWS, threads: 0 };
  /** The row whose pieces come, and how many bytes there have been. */
  #open: { readonly line: BlobLine | WriteLine; readonly bytes: number; received: number } | undefined;

  /** What was counted so far. */
  get counts(): BackupCounts {
    return this.#counts;
  }

  /** Takes a line into the checksum. */
  hash(text: string): void {
    this.#hash.update(text).update("\n");
  }

  /** Counts a row: one whose bytes come in pieces once they are complete, and one that is cancelled never. */
  count(line: RowLine): void {
    if ("thread" in line) this.#counts = { ...this.#counts, threads: this.#counts.threads + 1 };
    else if ("cancelled" in line) this.#open = undefined;
    else if ("piece" in line) this.#countPiece(base64Bytes(line.piece));
    else if ("bytes" in line) this.#open = { line, bytes: line.bytes, received: 0 };
    else this.#add(line, "blob" in line ? base64Bytes(line.blob ?? "") : 0);
  }

  /** The last line. No other may follow. */
  end(): LastLine {
    return { end: { ...this.#counts, sha256: this.#hash.digest("hex") } };
  }

  #countPiece(bytes: number): void {
    const open = this.#open;
    if (open === undefined) return;
    open.received += bytes;
    if (open.received < open.bytes) return;
    this.#add(open.line, open.bytes);
    this.#open = undefined;
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

/** Writes a line as JSON. What some readers take for the end of a line is escaped. */
export function formatLine(line: object): string {
  return JSON.stringify(line).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

/** How many bytes a text in base64 stands for. */
export function base64Bytes(text: string): number {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return (text.length / 4) * 3 - padding;
}
