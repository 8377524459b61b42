import type { RestoredBlob, RestoredCheckpoint, RestoredWrite } from "../saver/queries/restored-rows.js";
import { NO_ROWS, type RowCounts } from "../saver/model/row-counts.js";
import type { SaverCall } from "../saver/call/saver-call.js";
import { BackupError } from "./backup-error.js";
import type { ImportReport } from "./backup-types.js";
import type { BlobLine, RowLine, WriteLine } from "./backup-line.js";
import { EarlierValues } from "./earlier-values.js";
import { base64Bytes } from "./ledger.js";
import { OpenValue } from "./open-value.js";
import { restorePortion, type StoredPortion } from "./restore-portion.js";

/** How many bytes, and how many rows, are collected before they are stored. */
const PORTION_BYTES = 8 * 2 ** 20;
const PORTION_ROWS = 1_000;

interface Collected {
  readonly checkpoints: RestoredCheckpoint[];
  readonly writes: RestoredWrite[];
  readonly blobs: RestoredBlob[];
}

type Table = keyof Collected;

const TABLES = ["checkpoints", "writes", "blobs"] as const;

/** Collects the rows of a backup, and stores them portion by portion, each in one transaction. */
export class Restorer {
  readonly #call: SaverCall;
  readonly #onProgress: ((progress: ImportReport) => void) | undefined;
  #report: ImportReport = { ...NO_ROWS, threads: 0, skipped: 0 };
  #collected: Collected = { checkpoints: [], writes: [], blobs: [] };
  #bytes = 0;
  #threads = 0;
  #open: OpenValue | undefined;
  /** The thread whose rows come, until its end has come. */
  #thread: string | undefined;
  /** Of that thread, where it takes several transactions. */
  #earlier: EarlierValues | undefined;

  constructor(call: SaverCall, onProgress: ((progress: ImportReport) => void) | undefined) {
    this.#call = call;
    this.#onProgress = onProgress;
  }

  /** What has been stored. */
  get report(): ImportReport {
    return this.#report;
  }

  async add(line: RowLine): Promise<void> {
    if ("piece" in line) await this.#addPiece(line.piece);
    else if ("cancelled" in line) this.#open = undefined;
    else if (this.#open !== undefined)
      throw new BackupError("it is damaged: a value has not come to its end");
    else if ("thread" in line) this.#endThread();
    else if (line.table === "checkpoints") await this.#collect("checkpoints", line, lengthOf(line));
    else if ("bytes" in line) this.#open = new OpenValue(line);
    else await this.#collectValue(line, line.blob === null ? null : bytesOf(line.blob));
  }

  /** Stores what is left. */
  async end(): Promise<ImportReport> {
    if (this.#open !== undefined) throw new BackupError("it is damaged: a value has not come to its end");
    await this.#flush();
    return this.#report;
  }

  #endThread(): void {
    this.#threads += 1;
    this.#thread = undefined;
  }

  async #addPiece(piece: string): Promise<void> {
    if (this.#open === undefined) throw new BackupError("it is damaged: a piece belongs to no value");
    const { line } = this.#open;
    const value = this.#open.add(bytesOf(piece));
    if (value === undefined) return;
    this.#open = undefined;
    await this.#collectValue(line, value);
  }

  async #collectValue(line: BlobLine | WriteLine, blob: Uint8Array | null): Promise<void> {
    const bytes = blob?.byteLength ?? 0;
    if (line.table === "checkpoint_blobs") await this.#collect("blobs", { ...line, blob }, bytes);
    else await this.#collect("writes", { ...line, blob }, bytes);
  }

  async #collect<Name extends Table>(
    table: Name,
    row: Collected[Name][number],
    bytes: number,
  ): Promise<void> {
    // A long value goes by itself.
    if (this.#bytes > 0 && this.#bytes + bytes > PORTION_BYTES) await this.#flush();
    const rows: Collected[Name][number][] = this.#collected[table];
    rows.push(row);
    this.#thread = row.thread_id;
    this.#bytes += bytes;
    const { checkpoints, writes, blobs } = this.#collected;
    const count = checkpoints.length + writes.length + blobs.length;
    if (this.#bytes > PORTION_BYTES || count >= PORTION_ROWS) await this.#flush();
  }

  async #flush(): Promise<void> {
    const portion = this.#collected;
    this.#collected = { checkpoints: [], writes: [], blobs: [] };
    this.#bytes = 0;
    const stored = await restorePortion(this.#call, portion, this.#earlier);
    this.#noteEarlier(portion);
    for (const table of TABLES) this.#note(table, stored[table], portion[table].length);
    this.#report = { ...this.#report, threads: this.#threads };
    this.#onProgress?.(this.#report);
  }

  #noteEarlier(portion: Collected): void {
    const threadId = this.#thread;
    if (threadId === undefined) this.#earlier = undefined;
    else {
      if (this.#earlier?.isOf(threadId) !== true) this.#earlier = new EarlierValues(threadId);
      this.#earlier.note(portion);
    }
  }

  #note(table: Table, stored: StoredPortion[Table], given: number): void {
    const report = this.#report;
    const counts: RowCounts = { ...report, [table]: report[table] + stored.length };
    this.#report = {
      ...report,
      ...counts,
      bytes: report.bytes + stored.reduce((sum, { bytes }) => sum + bytes, 0),
      skipped: report.skipped + given - stored.length,
    };
  }
}

function bytesOf(base64: string): Uint8Array {
  const bytes = Buffer.from(base64, "base64");
  if (bytes.length === base64Bytes(base64)) return bytes;
  throw new BackupError("it is damaged: a value is not base64");
}

function lengthOf(row: RestoredCheckpoint): number {
  return (row.checkpoint?.length ?? 0) + (row.metadata?.length ?? 0);
}
