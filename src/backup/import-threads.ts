import { numberOfRows, addCounts, NO_ROWS } from "../saver/model/row-counts.js";
import { runTransaction } from "../db/statements/run-statement.js";
import { restoreConversation, type StoredConversation } from "../saver/queries/conversations-of-threads.js";
import { throwIfAborted } from "../db/statements/cancellation.js";
import { readBackupLines } from "../parsing/backup-lines.js";
import { BackupError } from "./backup-error.js";
import type { ImportReport } from "./backup-types.js";
import { type BackupCounts, parseLine, type RowLine, THREAD_BACKUP } from "./backup-line.js";
import { BackupTotals } from "./backup-totals.js";
import { RowsOfThreads } from "./selected-rows.js";
import type { ImportRequest } from "./boundary/parse-backup.js";
import type { ContextualSerializer } from "../serde/serde-context.js";
import type { SaverCall } from "../saver/call/saver-call.js";
import type { RestoredCheckpoint } from "../saver/queries/restored-rows.js";
import { type StoredPortion, storePortion, type StoringRules } from "./store-portion.js";
import {
  type BackupPortion,
  type CollectedRows,
  collectRow,
  type WholeRow,
  WholeRows,
} from "./whole-rows.js";
import { CommittedValues } from "./committed-values.js";
import { LeftThreads } from "./left-threads.js";

/** Stores the rows of a backup; see `importThreads` of the savers. */
export async function importThreads(
  call: SaverCall,
  lines: AsyncIterable<unknown> | Iterable<unknown>,
  { threads, replaceDamaged, ...rules }: ImportRequest,
  serde: ContextualSerializer,
): Promise<ImportReport> {
  const wanted = threads && new RowsOfThreads(threads);
  const report = await importRows(call, wanted?.of(readBackup(lines)) ?? readBackup(lines), {
    ...rules,
    specials: "replaced",
    serde: replaceDamaged ? serde : undefined,
  });
  return { ...report, missing: wanted?.missing ?? [] };
}

/** Stores rows that were read from a backup. */
export async function importRows(
  call: SaverCall,
  rows: AsyncIterable<RowLine>,
  rules: ImportRules,
): Promise<ImportReport> {
  const importer = new PortionImporter(call, rules);
  try {
    for await (const row of rows) {
      throwIfAborted(call.signal);
      await importer.add(row);
    }
    return await importer.end();
  } catch (error) {
    if (!(error instanceof BackupError)) throw error;
    const { problem, line, cause, threadId, checkpointNs, checkpointId, channel } = error;
    throw new BackupError(`${problem}; ${describeRestored(importer.report)}`, {
      ...{ threadId, checkpointNs, checkpointId, channel, line, cause },
      restored: importer.report,
    });
  }
}

/**
 * Reads a backup without a database, and counts its rows.
 *
 * @throws BackupError when the input is not a backup, or when it is truncated or damaged.
 */
export async function inspectBackup(
  lines: AsyncIterable<unknown> | Iterable<unknown>,
): Promise<BackupCounts> {
  const totals = new BackupTotals();
  for await (const row of readBackup(lines)) totals.count(row);
  return totals.counts;
}

function readBackup(lines: AsyncIterable<unknown> | Iterable<unknown>): AsyncGenerator<RowLine> {
  return readBackupLines<RowLine>(THREAD_BACKUP, lines, parseLine);
}

function describeRestored(report: ImportReport): string {
  const { threads, checkpoints, writes, blobs, skipped } = report;
  if (numberOfRows(report) + skipped === 0) return "nothing was restored";
  const alreadyStored = skipped === 0 ? "" : `; ${skipped} rows were already stored`;
  return (
    `restored before the error: ${checkpoints} checkpoints, ${writes} writes and ${blobs} values ` +
    `of ${threads} complete threads${alreadyStored}`
  );
}

/** The most bytes and rows that one transaction stores; a single longer value has a transaction of its own. */
const PORTION_BYTES = 8 * 2 ** 20;
const PORTION_ROWS = 1_000;

const TABLES = ["checkpoints", "writes", "blobs"] as const;

/** How a backup is imported. */
interface ImportRules extends StoringRules {
  readonly onProgress: ((progress: ImportReport) => void) | undefined;
  /** The threads that an earlier backup of the same call has cost. Default: none. */
  readonly left?: LeftThreads | undefined;
}

/** Collects the rows of a backup and stores them in portions, each in one transaction. */
class PortionImporter {
  readonly #call: SaverCall;
  readonly #rules: ImportRules;
  readonly #left: LeftThreads;
  #report: ImportReport;
  #collected: CollectedRows = { checkpoints: [], writes: [], blobs: [] };
  #bytes = 0;
  /** The threads that have ended since the last transaction. */
  #ended: string[] = [];
  /** The conversations of threads that have ended since the last transaction. */
  #conversations: [threadId: string, conversation: StoredConversation][] = [];
  readonly #rows = new WholeRows();
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
    const row = this.#rows.add(line);
    if (row === undefined) return;
    if ("thread" in row) {
      this.#ended.push(row.thread);
      this.#thread = undefined;
      if (row.conversation !== undefined) this.#conversations.push([row.thread, row.conversation]);
    } else if (!this.#left.has(row.thread_id)) await this.#collect(row);
  }

  /** Stores the rows that are still collected. */
  async end(): Promise<ImportReport> {
    this.#rows.end();
    await this.#flush();
    return this.#report;
  }

  async #collect(row: WholeRow): Promise<void> {
    const bytes = row.table === "checkpoints" ? headerLength(row) : (row.blob?.byteLength ?? 0);
    if (this.#bytes > 0 && this.#bytes + bytes > PORTION_BYTES) await this.#flush();
    collectRow(this.#collected, row);
    this.#thread = row.thread_id;
    this.#bytes += bytes;
    const count = TABLES.reduce((sum, table) => sum + this.#collected[table].length, 0);
    if (this.#bytes > PORTION_BYTES || count >= PORTION_ROWS) await this.#flush();
  }

  async #flush(): Promise<void> {
    const portion = this.#collected;
    this.#collected = { checkpoints: [], writes: [], blobs: [] };
    this.#bytes = 0;
    const outcome = await storePortion(this.#call, portion, this.#committed, this.#rules);
    this.#left.add(outcome, outcome.left);
    await this.#storeConversations();
    this.#addCommitted(outcome.portion);
    this.#report = this.#reportWith(outcome);
    this.#rules.onProgress?.(this.#report);
  }

  /** Each after its thread, whose checkpoints would otherwise count as later ones. */
  async #storeConversations(): Promise<void> {
    const { schema } = this.#call;
    const call = { ...this.#call, optionalTables: ["conversations"] };
    const statements = this.#conversations.flatMap(([threadId, conversation]) =>
      this.#left.has(threadId) ? [] : [restoreConversation.bind(schema, { threadId, ...conversation })],
    );
    this.#conversations = [];
    await runTransaction(call, { statements });
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
    const rows = TABLES.reduce((sum, table) => sum + portion[table].length - stored[table].length, 0);
    const bytes = TABLES.flatMap((table) => stored[table]).reduce((sum, row) => sum + row.bytes, 0);
    const ended = this.#ended.filter((threadId) => !this.#left.has(threadId));
    this.#ended = [];
    return {
      ...report,
      ...addCounts(report, {
        checkpoints: stored.checkpoints.length,
        writes: stored.writes.length,
        blobs: stored.blobs.length,
        bytes,
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
