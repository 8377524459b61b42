import { inOneTransaction, runBound } from "../db/statements/run-statement.js";
import type { Damage } from "../errors/index.js";
import { refuseTombstones } from "../saver/codec/refuse-writes.js";
import { compareText } from "../saver/model/keys.js";
import { inTurnOf } from "../saver/in-turn-of.js";
import { selectTombstones, type TombstoneRow } from "../saver/queries/tombstones.js";
import type { DifferingRow, StoredRow } from "../saver/queries/restored-rows.js";
import { tombstoneGuard } from "../saver/storing/write-guard.js";
import { type SaverCall, writingThreads } from "../saver/call/saver-call.js";
import type { CommittedValues } from "./committed-values.js";
import type { BackupPortion } from "./whole-rows.js";
import { damageOfRow, damagePerThread, DifferingRows, type LeftRows } from "./left-threads.js";
import { isOfRows } from "./lost-rows.js";
import {
  replaceUnreadable,
  BLOBS,
  CHECKPOINTS,
  type RestoredTable,
  type StoredSpecials,
  WRITES,
} from "./restored-tables.js";
import type { ContextualSerializer } from "../serde/serde-context.js";

/** How portions are stored. */
export interface StoringRules {
  readonly specials: StoredSpecials;
  /** Whether the first row that differs, and the first thread with a tombstone, ends the import. Otherwise it costs its thread. */
  readonly strict: boolean;
  /** Reads stored rows that differ. Those that it can't read are replaced, and the others are kept. Absent: all are kept. */
  readonly serde?: ContextualSerializer | undefined;
}

/** What became of a portion. */
export interface StoredPortion extends LeftRows {
  /** The rows that were inserted, and special writes that were replaced. The others were already stored. */
  readonly stored: Readonly<Record<keyof BackupPortion, readonly StoredRow[]>>;
  /** The rows of the threads that were not left. */
  readonly portion: BackupPortion;
  /** The threads that were left. */
  readonly left: readonly string[];
  /** The number of stored rows that could not be read and were replaced, and of those that differ and were kept. */
  readonly replaced: number;
  readonly kept: number;
}

/**
 * Stores rows of a backup in one transaction, so that nobody can delete a value as unreferenced before its checkpoint is
 * stored. It takes its locks in the order checkpoints, writes, blobs, as every writer does.
 *
 * A thread that can't be stored costs only itself: the transaction is rolled back and runs again without the thread.
 *
 * @param committed - The rows of an unfinished thread that earlier transactions have committed.
 * @throws BackupError when the rules are strict and a row is already stored with different content; then nothing is stored.
 */
export async function storePortion(
  call: SaverCall,
  portion: BackupPortion,
  committed: CommittedValues | undefined,
  rules: StoringRules,
): Promise<StoredPortion> {
  const threadIds = threadsOfPortion(portion);
  return inTurnOf(call, threadIds, () => storeOrLeave(call, portion, committed, rules));
}

async function storeOrLeave(
  call: SaverCall,
  portion: BackupPortion,
  committed: CommittedValues | undefined,
  rules: StoringRules,
): Promise<StoredPortion> {
  const threadIds = threadsOfPortion(portion);
  const isPassedIn = call.database.kysely.isTransaction;
  const leave = async (damaged: readonly Damage[]): Promise<StoredPortion> => {
    const left = damaged.map(({ threadId }) => threadId);
    return together([
      leftOut(damaged),
      await storeOrLeave(call, withoutThreads(portion, left), committed, rules),
    ]);
  };
  if (threadIds.length === 0) return leftOut([]);
  if (isPassedIn && !rules.strict && rules.serde === undefined) {
    // Nothing can be undone there, so what differs is looked for before anything is stored.
    const damaged = damagePerThread(await differingRows(call, portion));
    if (damaged.length > 0) return leave(damaged);
  }
  try {
    return await storeAll(
      writingThreads(call, () => threadIds),
      portion,
      committed,
      rules,
    );
  } catch (error) {
    if (rules.strict || isPassedIn) throw error;
    if (error instanceof DifferingRows) return leave(damagePerThread(error.rows));
    if (!isOfRows(error)) throw error;
    const [threadId = "", ...others] = threadIds;
    if (others.length === 0) return leave([{ threadId, reason: error.message }]);
    // The error does not say which row it is about.
    const parts: StoredPortion[] = [];
    for (const thread of threadIds) {
      const ofThread = withoutThreads(
        portion,
        threadIds.filter((each) => each !== thread),
      );
      parts.push(await storeOrLeave(call, ofThread, committed, rules));
    }
    return together(parts);
  }
}

async function storeAll(
  call: SaverCall,
  given: BackupPortion,
  committed: CommittedValues | undefined,
  rules: StoringRules,
): Promise<StoredPortion> {
  return inOneTransaction(call, async (transaction) => {
    const tombstones = await tombstonesOf(transaction, threadsOfPortion(given));
    if (rules.strict) refuseTombstones(tombstones);
    const tombstoned = tombstones.map((row) => row.thread_id);
    const portion = withoutThreads(given, tombstoned);
    const checkpoints = await storeRows(transaction, portion.checkpoints, CHECKPOINTS, rules);
    await committed?.lockAndCheck(transaction, portion.checkpoints);
    const writes = await storeRows(transaction, portion.writes, WRITES[rules.specials], rules);
    const blobs = await storeRows(transaction, portion.blobs, BLOBS, rules);
    const kept = [checkpoints, writes, blobs].flatMap((each) => each.kept);
    return {
      stored: { checkpoints: checkpoints.stored, writes: writes.stored, blobs: blobs.stored },
      replaced: checkpoints.replaced + writes.replaced + blobs.replaced,
      kept: kept.length,
      ...{ portion, left: tombstoned, tombstoned, damaged: kept.map(damageOfRow) },
    };
  });
}

interface StoredRows {
  readonly stored: readonly StoredRow[];
  readonly replaced: number;
  readonly kept: readonly DifferingRow[];
}

/** @throws DifferingRows where the rules replace nothing and a row differs, or they are strict and one that differs can be read. */
async function storeRows<Row extends object>(
  call: SaverCall,
  rows: readonly Row[],
  table: RestoredTable<Row>,
  { strict, serde }: StoringRules,
): Promise<StoredRows> {
  if (rows.length === 0) return { stored: [], replaced: 0, kept: [] };
  const { statements, keyOf } = table;
  const sorted = sortedByKey(rows, keyOf);
  const stored = await runBound(call, statements.insert(call.schema, sorted));
  const differing = stored.length === rows.length ? [] : await differingRowsOf(call, rows, table);
  const { replaced, kept } =
    serde === undefined
      ? { replaced: 0, kept: differing }
      : await replaceUnreadable({ call, serde }, table, sorted, differing);
  const [first] = kept;
  if (first !== undefined && (strict || serde === undefined)) throw new DifferingRows(first, kept);
  return { stored, replaced, kept };
}

async function differingRows(
  call: SaverCall,
  { checkpoints, writes, blobs }: BackupPortion,
): Promise<DifferingRow[]> {
  return [
    ...(await differingRowsOf(call, checkpoints, CHECKPOINTS)),
    ...(await differingRowsOf(call, writes, WRITES.kept)),
    ...(await differingRowsOf(call, blobs, BLOBS)),
  ];
}

async function differingRowsOf<Row extends object>(
  call: SaverCall,
  rows: readonly Row[],
  { statements, mayDiffer = () => false }: RestoredTable<Row>,
): Promise<DifferingRow[]> {
  const compared = rows.filter((row) => !mayDiffer(row));
  if (compared.length === 0) return [];
  return runBound(call, statements.selectDiffering(call.schema, compared));
}

/** The distinct rows, sorted by key, so that two concurrent imports can't deadlock. */
function sortedByKey<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Row[] {
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  return [...byKey].sort(([a], [b]) => compareText(a, b)).map(([, row]) => row);
}

/** @returns The tombstones of the threads, after it has locked the threads against deletions. */
async function tombstonesOf(call: SaverCall, threadIds: readonly string[]): Promise<TombstoneRow[]> {
  const [locks] = tombstoneGuard(call, threadIds);
  if (locks === undefined) return [];
  locks.check?.(await runBound(call, locks.statement));
  return runBound(call, selectTombstones(call.schema, threadIds));
}

/** The outcome of threads of which nothing was stored. */
function leftOut(damaged: readonly Damage[]): StoredPortion {
  const none = { checkpoints: [], writes: [], blobs: [] };
  const left = damaged.map(({ threadId }) => threadId);
  return { stored: none, portion: none, replaced: 0, kept: 0, left, damaged, tombstoned: [] };
}

/** The outcome of several parts of a portion. */
function together(parts: readonly StoredPortion[]): StoredPortion {
  return {
    stored: {
      checkpoints: parts.flatMap(({ stored }) => stored.checkpoints),
      writes: parts.flatMap(({ stored }) => stored.writes),
      blobs: parts.flatMap(({ stored }) => stored.blobs),
    },
    portion: {
      checkpoints: parts.flatMap(({ portion }) => portion.checkpoints),
      writes: parts.flatMap(({ portion }) => portion.writes),
      blobs: parts.flatMap(({ portion }) => portion.blobs),
    },
    replaced: parts.reduce((sum, part) => sum + part.replaced, 0),
    kept: parts.reduce((sum, part) => sum + part.kept, 0),
    left: parts.flatMap((part) => part.left),
    damaged: parts.flatMap((part) => part.damaged),
    tombstoned: parts.flatMap((part) => part.tombstoned),
  };
}

/** The threads of a portion. */
function threadsOfPortion({ checkpoints, writes, blobs }: BackupPortion): string[] {
  return [...new Set([...checkpoints, ...writes, ...blobs].map((row) => row.thread_id))];
}

/** The rows of a portion that are of no such thread. */
function withoutThreads(portion: BackupPortion, threadIds: readonly string[]): BackupPortion {
  if (threadIds.length === 0) return portion;
  const threads = new Set(threadIds);
  const isOther = (row: { readonly thread_id: string }): boolean => !threads.has(row.thread_id);
  return {
    checkpoints: portion.checkpoints.filter(isOther),
    writes: portion.writes.filter(isOther),
    blobs: portion.blobs.filter(isOther),
  };
}
