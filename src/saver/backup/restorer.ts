import { runTransaction } from "../../db/run-statement.js";
import type { BoundStatement } from "../../db/statement.js";
import { compareText } from "../codec/compare-text.js";
import { rowKey } from "../codec/row-key.js";
import { differingBlobs, restoreBlobs } from "../queries/backup/restore-blobs.js";
import { differingCheckpoints, restoreCheckpoints } from "../queries/backup/restore-checkpoints.js";
import { differingWrites, restoreWrites } from "../queries/backup/restore-writes.js";
import type {
  DifferingRow,
  RestoredBlob,
  RestoredCheckpoint,
  RestoredWrite,
  StoredRow,
} from "../queries/backup/restored-rows.js";
import { NO_ROWS, type RowCounts } from "../row-counts.js";
import { writeGuard } from "../write-guard.js";
import type { WritableTables } from "../write-rules.js";
import { BackupError } from "./backup-error.js";
import type { ImportReport } from "./backup.js";
import type { BlobLine, RowLine, WriteLine } from "./backup-line.js";
import { base64Bytes } from "./ledger.js";
import { OpenValue } from "./open-value.js";

/** How many bytes, and how many rows, are collected before they are stored. */
const PORTION_BYTES = 8 * 2 ** 20;
const PORTION_ROWS = 1_000;

interface Collected {
  readonly checkpoints: RestoredCheckpoint[];
  readonly writes: RestoredWrite[];
  readonly blobs: RestoredBlob[];
}

type Table = keyof Collected;

/** How the rows of a table are stored, and compared with those that are there. */
interface TableRules<Row> {
  readonly insert: (schema: string, rows: readonly Row[]) => BoundStatement<StoredRow>;
  readonly differing: (schema: string, rows: readonly Row[]) => BoundStatement<DifferingRow>;
  readonly keyOf: (row: Row) => string;
}

const BLOBS: TableRules<RestoredBlob> = {
  insert: restoreBlobs,
  differing: differingBlobs,
  keyOf: (row) => rowKey(row.thread_id, row.checkpoint_ns, row.channel, row.version),
};
const WRITES: TableRules<RestoredWrite> = {
  insert: restoreWrites,
  differing: differingWrites,
  keyOf: (row) => rowKey(row.thread_id, row.checkpoint_ns, row.checkpoint_id, row.task_id, String(row.idx)),
};
const CHECKPOINTS: TableRules<RestoredCheckpoint> = {
  insert: restoreCheckpoints,
  differing: differingCheckpoints,
  keyOf: (row) => rowKey(row.thread_id, row.checkpoint_ns, row.checkpoint_id),
};

/** Collects the rows of a backup, and stores them portion by portion: values first, so that nobody reads half a checkpoint. */
export class Restorer {
  readonly #tables: WritableTables;
  readonly #onProgress: ((progress: ImportReport) => void) | undefined;
  #report: ImportReport = { ...NO_ROWS, threads: 0, skipped: 0 };
  #collected: Collected = { checkpoints: [], writes: [], blobs: [] };
  #bytes = 0;
  #threads = 0;
  #open: OpenValue | undefined;

  constructor(tables: WritableTables, onProgress: ((progress: ImportReport) => void) | undefined) {
    this.#tables = tables;
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
    else if ("thread" in line) this.#threads += 1;
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
    this.#bytes += bytes;
    const { checkpoints, writes, blobs } = this.#collected;
    const count = checkpoints.length + writes.length + blobs.length;
    if (this.#bytes > PORTION_BYTES || count >= PORTION_ROWS) await this.#flush();
  }

  async #flush(): Promise<void> {
    const { checkpoints, writes, blobs } = this.#collected;
    this.#collected = { checkpoints: [], writes: [], blobs: [] };
    this.#bytes = 0;
    await this.#store("blobs", blobs, BLOBS);
    await this.#store("writes", writes, WRITES);
    await this.#store("checkpoints", checkpoints, CHECKPOINTS);
    this.#report = { ...this.#report, threads: this.#threads };
    this.#onProgress?.(this.#report);
  }

  async #store<Row extends { readonly thread_id: string }>(
    table: Table,
    collected: readonly Row[],
    { insert, differing, keyOf }: TableRules<Row>,
  ): Promise<void> {
    if (collected.length === 0) return;
    const { schema } = this.#tables;
    const rows = sorted(collected, keyOf);
    const guard = tombstoneGuard(this.#tables, rows);
    const [stored = []] = await runTransaction(this.#tables, { guard, statements: [insert(schema, rows)] });
    this.#note(table, stored, rows.length);
    if (stored.length === rows.length) return;
    const [[other] = []] = await runTransaction(this.#tables, { statements: [differing(schema, rows)] });
    if (other !== undefined) throw refusal(other);
  }

  #note(table: Table, stored: readonly StoredRow[], given: number): void {
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

/** In one order, so that two imports at a time don't wait for one another. */
function sorted<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Row[] {
  return rows
    .map((row) => ({ row, key: keyOf(row) }))
    .sort((a, b) => compareText(a.key, b.key))
    .map(({ row }) => row);
}

/** Where threads that are deleted stay deleted, they are not brought back. */
function tombstoneGuard(tables: WritableTables, rows: readonly { readonly thread_id: string }[]) {
  const rules = tables.rules && { ...tables.rules, concurrency: "unchecked" as const };
  const threads = [...new Set(rows.map((row) => row.thread_id))];
  return writeGuard(
    { ...tables, ...(rules && { rules }) },
    threads.map((threadId) => ({
      kind: "putWrites",
      writes: { threadId, checkpointNs: "", checkpointId: "", taskId: "", taskPath: "", writes: [] },
    })),
  );
}

function refusal({ thread_id, checkpoint_ns, checkpoint_id, channel }: DifferingRow): BackupError {
  const parts = [
    `thread "${thread_id}"`,
    checkpoint_ns === "" ? "" : `namespace "${checkpoint_ns}"`,
    checkpoint_id === null ? "" : `checkpoint "${checkpoint_id}"`,
    channel === null ? "" : `channel "${channel}"`,
  ].filter((part) => part !== "");
  return new BackupError(`${parts.join(", ")} is there already, and differs: nothing is overwritten`, {
    threadId: thread_id,
    checkpointNs: checkpoint_ns,
    checkpointId: checkpoint_id ?? undefined,
    channel: channel ?? undefined,
  });
}

function bytesOf(base64: string): Uint8Array {
  const bytes = Buffer.from(base64, "base64");
  if (bytes.length === base64Bytes(base64)) return bytes;
  throw new BackupError("it is damaged: a value is not base64");
}

function lengthOf(row: RestoredCheckpoint): number {
  return (row.checkpoint?.length ?? 0) + (row.metadata?.length ?? 0);
}
