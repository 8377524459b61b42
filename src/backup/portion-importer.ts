import type { RestoredBlob, RestoredCheckpoint, RestoredWrite } from "../saver/queries/restored-rows.js";
import { NO_ROWS, type RowCounts } from "../saver/model/row-counts.js";
import type { SaverCall } from "../saver/call/saver-call.js";
import type { ImportReport } from "./backup-types.js";
import type { BlobLine, RowLine, WriteLine } from "./backup-line.js";
import { decodeBase64 } from "./base64.js";
import { CommittedValues } from "./committed-values.js";
import { incompleteValue, PiecedValue, strayPiece } from "./pieced-value.js";
import { type StoredPortion, type StoredSpecials, storePortion } from "./store-portion.js";

/** The most bytes and rows that one transaction stores; a single longer value has a transaction of its own. */
const PORTION_BYTES = 8 * 2 ** 20;
const PORTION_ROWS = 1_000;

interface CollectedRows {
  readonly checkpoints: RestoredCheckpoint[];
  readonly writes: RestoredWrite[];
  readonly blobs: RestoredBlob[];
}

type Table = keyof CollectedRows;

const TABLES = ["checkpoints", "writes", "blobs"] as const;

/** Collects the rows of a backup and stores them in portions, each in one transaction. */
export class PortionImporter {
  readonly #call: SaverCall;
  readonly #onProgress: ((progress: ImportReport) => void) | undefined;
  readonly #specials: StoredSpecials;
  #report: ImportReport = { ...NO_ROWS, threads: 0, skipped: 0 };
  #collected: CollectedRows = { checkpoints: [], writes: [], blobs: [] };
  #bytes = 0;
  #threads = 0;
  #piecedValue: PiecedValue | undefined;
  /** The thread of the rows that are read now; `undefined` after the line that ends the thread. */
  #thread: string | undefined;
  /** The rows of that thread in earlier transactions. */
  #committed: CommittedValues | undefined;

  constructor(
    call: SaverCall,
    onProgress: ((progress: ImportReport) => void) | undefined,
    specials: StoredSpecials,
  ) {
    this.#call = call;
    this.#onProgress = onProgress;
    this.#specials = specials;
  }

  /** The rows stored so far. */
  get report(): ImportReport {
    return this.#report;
  }

  async add(line: RowLine): Promise<void> {
    if ("piece" in line) await this.#addPiece(line.piece);
    else if ("cancelled" in line) this.#piecedValue = undefined;
    else if (this.#piecedValue !== undefined) throw incompleteValue();
    else if ("thread" in line) this.#endThread();
    else if (line.table === "checkpoints") await this.#collect("checkpoints", line, headerLength(line));
    else if ("bytes" in line) this.#piecedValue = new PiecedValue(line);
    else await this.#collectValue(line, line.blob === null ? null : decodeBase64(line.blob));
  }

  /** Stores the rows that are still collected. */
  async end(): Promise<ImportReport> {
    if (this.#piecedValue !== undefined) throw incompleteValue();
    await this.#flush();
    return this.#report;
  }

  #endThread(): void {
    this.#threads += 1;
    this.#thread = undefined;
  }

  async #addPiece(piece: string): Promise<void> {
    if (this.#piecedValue === undefined) throw strayPiece();
    const { line } = this.#piecedValue;
    const value = this.#piecedValue.add(decodeBase64(piece));
    if (value === undefined) return;
    this.#piecedValue = undefined;
    await this.#collectValue(line, value);
  }

  async #collectValue(line: BlobLine | WriteLine, blob: Uint8Array | null): Promise<void> {
    const bytes = blob?.byteLength ?? 0;
    if (line.table === "checkpoint_blobs") await this.#collect("blobs", { ...line, blob }, bytes);
    else await this.#collect("writes", { ...line, blob }, bytes);
  }

  async #collect<Name extends Table>(
    table: Name,
    row: CollectedRows[Name][number],
    bytes: number,
  ): Promise<void> {
    if (this.#bytes > 0 && this.#bytes + bytes > PORTION_BYTES) await this.#flush();
    const rows: CollectedRows[Name][number][] = this.#collected[table];
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
    const stored = await storePortion(this.#call, portion, this.#committed, this.#specials);
    this.#addCommitted(portion);
    for (const table of TABLES) this.#addToReport(table, stored[table], portion[table].length);
    this.#report = { ...this.#report, threads: this.#threads };
    this.#onProgress?.(this.#report);
  }

  #addCommitted(portion: CollectedRows): void {
    const threadId = this.#thread;
    if (threadId === undefined) this.#committed = undefined;
    else {
      if (this.#committed?.threadId !== threadId) this.#committed = new CommittedValues(threadId);
      this.#committed.add(portion);
    }
  }

  #addToReport(table: Table, stored: StoredPortion[Table], rows: number): void {
    const report = this.#report;
    const counts: RowCounts = { ...report, [table]: report[table] + stored.length };
    this.#report = {
      ...report,
      ...counts,
      bytes: report.bytes + stored.reduce((sum, { bytes }) => sum + bytes, 0),
      skipped: report.skipped + rows - stored.length,
    };
  }
}

function headerLength(row: RestoredCheckpoint): number {
  return (row.checkpoint?.length ?? 0) + (row.metadata?.length ?? 0);
}
