import type { RestoredBlob, RestoredCheckpoint, RestoredWrite } from "../saver/queries/restored-rows.js";
import { addCounts, NO_ROWS } from "../saver/model/row-counts.js";
import type { SaverCall } from "../saver/call/saver-call.js";
import type { ImportReport } from "./backup-types.js";
import type { BlobLine, RowLine, WriteLine } from "./backup-line.js";
import type { BackupPortion } from "./backup-portion.js";
import { decodeBase64 } from "./base64.js";
import { CommittedValues } from "./committed-values.js";
import { incompleteValue, PiecedValue, strayPiece } from "./pieced-value.js";
import { LeftThreads } from "./left-threads.js";
import { type StoredPortion, storePortion, type StoringRules } from "./store-portion.js";

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

/** How a backup is imported. */
export interface ImportRules extends StoringRules {
  readonly onProgress: ((progress: ImportReport) => void) | undefined;
  /** The threads that an earlier backup of the same call has cost. Default: none. */
  readonly left?: LeftThreads | undefined;
}

/** Collects the rows of a backup and stores them in portions, each in one transaction. */
export class PortionImporter {
  readonly #call: SaverCall;
  readonly #rules: ImportRules;
  readonly #left: LeftThreads;
  #report: ImportReport;
  #collected: CollectedRows = { checkpoints: [], writes: [], blobs: [] };
  #bytes = 0;
  /** The threads that have ended since the last transaction. */
  #ended: string[] = [];
  #piecedValue: PiecedValue | undefined;
  /** The thread of the rows that are read now; `undefined` after the line that ends the thread. */
  #thread: string | undefined;
  /** The rows of that thread in earlier transactions. */
  #committed: CommittedValues | undefined;

  constructor(call: SaverCall, rules: ImportRules) {
    this.#call = call;
    this.#rules = rules;
    this.#left = rules.left ?? new LeftThreads();
    this.#report = { ...NO_ROWS, threads: 0, skipped: 0, replaced: 0, missing: [], ...this.#left.rows };
  }

  /** The rows stored so far. */
  get report(): ImportReport {
    return this.#report;
  }

  async add(line: RowLine): Promise<void> {
    if ("piece" in line) await this.#addPiece(line.piece);
    else if ("cancelled" in line) this.#piecedValue = undefined;
    else if (this.#piecedValue !== undefined) throw incompleteValue();
    else if ("thread" in line) this.#endThread(line.thread);
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

  #endThread(threadId: string): void {
    this.#ended.push(threadId);
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
    if (this.#left.has(row.thread_id)) return;
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
    const outcome = await storePortion(this.#call, portion, this.#committed, this.#rules);
    this.#left.add(outcome, outcome.left);
    this.#addCommitted(outcome.portion);
    this.#report = this.#reportWith(outcome);
    this.#rules.onProgress?.(this.#report);
  }

  #addCommitted(portion: BackupPortion): void {
    const threadId = this.#thread;
    if (threadId === undefined) this.#committed = undefined;
    else {
      if (this.#committed?.threadId !== threadId) this.#committed = new CommittedValues(threadId);
      this.#committed.add(portion);
    }
  }

  #reportWith({ stored, portion, replaced, kept }: StoredPortion): ImportReport {
    const { threads, skipped, replaced: before, ...report } = this.#report;
    const { checkpoints, writes, blobs } = stored;
    const rows = TABLES.reduce((sum, table) => sum + portion[table].length - stored[table].length, 0);
    const bytes = [...checkpoints, ...writes, ...blobs].reduce((sum, row) => sum + row.bytes, 0);
    const ended = this.#ended.filter((threadId) => !this.#left.has(threadId));
    this.#ended = [];
    return {
      ...report,
      ...addCounts(report, {
        ...{ checkpoints: checkpoints.length, writes: writes.length, blobs: blobs.length, bytes },
      }),
      ...this.#left.rows,
      threads: threads + ended.length,
      skipped: skipped + rows - replaced - kept,
      replaced: before + replaced,
    };
  }
}

function headerLength(row: RestoredCheckpoint): number {
  return (row.checkpoint?.length ?? 0) + (row.metadata?.length ?? 0);
}
