import { type CallContext, DEFAULT_SIZE_LIMITS } from "../db/call-context.js";
import { refuseHiddenRows } from "../db/hidden-rows.js";
import { firstLineOf, formatLine } from "../parsing/backup-lines.js";
import {
  conversationsWithoutRows,
  readConversationRow,
  type StoredConversation,
} from "../saver/queries/conversations-of-threads.js";
import { nextStoredThread } from "./queries/get-row-keys.js";
import type { ExportRequest } from "./boundary/parse-backup.js";
import { type BackupCounts, type RowLine, type ThreadLine, THREAD_BACKUP } from "./backup-line.js";
import { exportThread } from "./export-thread.js";
import { type ExportCall, isLostRow } from "./lost-rows.js";
import { BackupTotals } from "./backup-totals.js";
import { type EarlierThreads, readFingerprints, storedFingerprint } from "./row-digests.js";

/** The most bytes of a value that one statement reads. Postgres decompresses a value from its beginning for each piece. */
const READ_BYTES = 4 * 2 ** 20;

/** A thread to export, and what reads its rows. */
export interface ExportedThread {
  readonly threadId: string;
  readonly rows: (call: ExportCall) => AsyncIterable<RowLine>;
}

/** Yields the lines of a backup; see `exportThreads` of the savers. */
export async function* exportThreads(
  call: CallContext,
  { threads, since, onDamaged }: ExportRequest,
): AsyncGenerator<string> {
  await refuseHiddenRows(call);
  const exporting: ExportCall = { ...call, onDamaged };
  if (since === undefined) {
    yield* exportEach(exporting, wholeThreads(threads ?? storedThreads(call)));
  } else {
    const earlier = await readFingerprints(since, call.signal);
    yield* exportEach(exporting, wholeThreads(changedThreads(exporting, threads, earlier)), earlier.sha256);
  }
}

/**
 * Yields the lines of a backup of these threads, or of these parts of threads.
 *
 * @param since - The checksum of the backup that this one continues. Default: it is a full one.
 */
export async function* exportEach(
  call: ExportCall,
  threads: AsyncIterable<ExportedThread> | Iterable<ExportedThread>,
  since?: string,
): AsyncGenerator<string> {
  const totals = new BackupTotals();
  const hashedLine = (line: object): string => {
    const text = formatLine(line);
    totals.hash(text);
    return text;
  };
  yield hashedLine(firstLineOf(THREAD_BACKUP, since));
  const { limits = DEFAULT_SIZE_LIMITS } = call.policy;
  const callInPieces = {
    ...call,
    policy: { ...call.policy, limits: { ...limits, pieceBytes: Math.min(limits.pieceBytes, READ_BYTES) } },
  };
  for await (const { threadId: thread, rows } of threads) {
    const before = totals.counts;
    let conversation: StoredConversation | undefined;
    try {
      for await (const line of rows(callInPieces)) {
        totals.count(line);
        yield hashedLine(line);
      }
      conversation = await readConversationRow(call, thread);
    } catch (error) {
      if (call.onDamaged === undefined || !isLostRow(error)) throw error;
      call.onDamaged({ threadId: thread, reason: error.message });
    }
    const end: ThreadLine = { thread, ...rowsSince(before, totals.counts), conversation };
    totals.count(end);
    yield hashedLine(end);
  }
  yield formatLine(totals.lastLine());
}

async function* wholeThreads(
  threads: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<ExportedThread> {
  for await (const threadId of threads) yield { threadId, rows: (call) => exportThread(call, threadId) };
}

/** Yields the threads whose rows are not those of the earlier backups, and then those that are gone. */
async function* changedThreads(
  call: ExportCall,
  threads: readonly string[] | undefined,
  { fingerprints }: EarlierThreads,
): AsyncGenerator<string> {
  const others = new Map(fingerprints);
  for await (const thread of threads ?? storedThreads(call)) {
    const earlier = others.get(thread);
    others.delete(thread);
    if (earlier === undefined || (await hasChanged(call, thread, earlier))) yield thread;
  }
  if (threads === undefined) yield* others.keys();
}

/** What can't be read has not changed: the earlier backups have all of its rows, and an increment would have fewer. */
async function hasChanged(call: ExportCall, threadId: string, earlier: string): Promise<boolean> {
  try {
    return earlier !== (await storedFingerprint(call, threadId));
  } catch (error) {
    if (call.onDamaged === undefined || !isLostRow(error)) throw error;
    call.onDamaged({ threadId, reason: error.message });
    return false;
  }
}

async function* storedThreads(call: CallContext): AsyncGenerator<string> {
  let thread = await nextStoredThread(call, undefined);
  while (thread !== undefined) {
    yield thread;
    thread = await nextStoredThread(call, thread);
  }
  let page = await conversationsWithoutRows(call, "");
  for (; page.length > 0; page = await conversationsWithoutRows(call, page.at(-1)?.thread_id ?? ""))
    for (const { thread_id } of page) yield thread_id;
}

function rowsSince(before: BackupCounts, { checkpoints, writes, blobs }: BackupCounts) {
  return {
    checkpoints: checkpoints - before.checkpoints,
    writes: writes - before.writes,
    blobs: blobs - before.blobs,
  };
}
