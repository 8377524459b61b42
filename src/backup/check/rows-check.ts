import type { ContextualSerializer } from "../../serde/serde-context.js";
import { NO_ROWS } from "../../saver/model/row-counts.js";
import { BackupError } from "../backup-error.js";
import type { BackupCounts, BlobLine, RowLine, ThreadLine, WriteLine } from "../backup-line.js";
import { BackupTotals } from "../backup-totals.js";
import { decodeBase64 } from "../base64.js";
import { incompleteValue, PiecedValue, strayPiece } from "../pieced-value.js";
import type { BackupCheck } from "./check-types.js";
import { Faults } from "./faults.js";
import { ThreadCheck } from "./thread-check.js";

/** Checks the rows of a backup, one thread after another. */
export class RowsCheck {
  readonly faults = new Faults();
  readonly #serde: ContextualSerializer | undefined;
  readonly #totals = new BackupTotals();
  #before: BackupCounts = { ...NO_ROWS, threads: 0 };
  #thread: ThreadCheck;
  #pieced: { readonly value: PiecedValue; readonly line: number } | undefined;
  #decoded = 0;

  /** @param serde - Decodes the values. Absent: they are not decoded. */
  constructor(serde: ContextualSerializer | undefined) {
    this.#serde = serde;
    this.#thread = new ThreadCheck(this.faults, serde);
  }

  /** @param line - The number of the line. */
  async add(row: RowLine, line: number): Promise<void> {
    this.#totals.count(row);
    try {
      await this.#check(row, line);
    } catch (error) {
      if (!(error instanceof BackupError)) throw error;
      this.#pieced = undefined;
      this.faults.add({ line, message: error.problem });
    }
  }

  /** @param lines - How many lines there were. */
  end(lines: number): BackupCheck {
    if (this.#pieced !== undefined) this.faults.add({ line: lines, message: incompleteValue().problem });
    return {
      ...this.#totals.counts,
      lines,
      isIntact: this.faults.count === 0,
      decoded: this.#decoded + this.#thread.decoded,
      faults: this.faults.listed,
      faultCount: this.faults.count,
    };
  }

  async #check(row: RowLine, line: number): Promise<void> {
    if ("piece" in row) await this.#addPiece(decodeBase64(row.piece));
    else if ("cancelled" in row) this.#pieced = undefined;
    else if (this.#pieced !== undefined) throw incompleteValue();
    else if ("thread" in row) await this.#endThread(row, line);
    else if (row.table === "checkpoints") await this.#thread.addCheckpoint(row, line);
    else if ("bytes" in row) this.#pieced = { value: new PiecedValue(row), line };
    else await this.#addValue(row, row.blob === null ? null : decodeBase64(row.blob), line);
  }

  async #addPiece(piece: Uint8Array): Promise<void> {
    if (this.#pieced === undefined) throw strayPiece();
    const { value, line } = this.#pieced;
    const whole = value.add(piece);
    if (whole === undefined) return;
    this.#pieced = undefined;
    await this.#addValue(value.line, whole, line);
  }

  async #addValue(row: BlobLine | WriteLine, blob: Uint8Array | null, line: number): Promise<void> {
    if (row.table === "checkpoint_blobs") await this.#thread.addBlob(row, blob, line);
    else await this.#thread.addWrite(row, blob, line);
  }

  async #endThread(end: ThreadLine, line: number): Promise<void> {
    const { counts } = this.#totals;
    for (const table of ["checkpoints", "writes", "blobs"] as const) {
      const found = counts[table] - this.#before[table];
      if (found === end[table]) continue;
      const message = `thread "${end.thread}" has ${found} ${table}, and its end counts ${end[table]}`;
      this.faults.add({ line, threadId: end.thread, message });
    }
    await this.#thread.end();
    this.#decoded += this.#thread.decoded;
    this.#before = counts;
    this.#thread = new ThreadCheck(this.faults, this.#serde);
  }
}
