import type { CallContext } from "../db/call-context.js";
import { DEFAULT_SIZE_LIMITS } from "../db/size-limits.js";
import { firstLineOf, formatLine } from "../parsing/backup-lines.js";
import { nextStoredThread } from "./queries/next-stored-thread.js";
import type { BackupCounts, RowLine, ThreadLine } from "./backup-line.js";
import { exportThread } from "./export-thread.js";
import { BackupTotals } from "./backup-totals.js";
import { THREAD_BACKUP } from "./parse-line.js";

/** The most bytes of a value that one statement reads. Postgres decompresses a value from its beginning for each piece. */
const READ_BYTES = 4 * 2 ** 20;

/** A thread to export, and what reads its rows. */
export interface ExportedThread {
  readonly threadId: string;
  readonly rows: (call: CallContext) => AsyncIterable<RowLine>;
}

/** Yields the lines of a backup; see `exportThreads` of the savers. */
export function exportThreads(
  call: CallContext,
  threads: readonly string[] | undefined,
): AsyncGenerator<string> {
  return exportEach(call, wholeThreads(threads ?? storedThreads(call)));
}

/** Yields the lines of a backup of these threads, or of these parts of threads. */
export async function* exportEach(
  call: CallContext,
  threads: AsyncIterable<ExportedThread> | Iterable<ExportedThread>,
): AsyncGenerator<string> {
  const totals = new BackupTotals();
  const hashedLine = (line: object): string => {
    const text = formatLine(line);
    totals.hash(text);
    return text;
  };
  yield hashedLine(firstLineOf(THREAD_BACKUP));
  const { limits = DEFAULT_SIZE_LIMITS } = call.policy;
  const callInPieces = {
    ...call,
    policy: { ...call.policy, limits: { ...limits, pieceBytes: Math.min(limits.pieceBytes, READ_BYTES) } },
  };
  for await (const { threadId: thread, rows } of threads) {
    const before = totals.counts;
    for await (const line of rows(callInPieces)) {
      totals.count(line);
      yield hashedLine(line);
    }
    const end: ThreadLine = { thread, ...rowsSince(before, totals.counts) };
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

async function* storedThreads(call: CallContext): AsyncGenerator<string> {
  let thread = await nextStoredThread(call, undefined);
  while (thread !== undefined) {
    yield thread;
    thread = await nextStoredThread(call, thread);
  }
}

function rowsSince(before: BackupCounts, { checkpoints, writes, blobs }: BackupCounts) {
  return {
    checkpoints: checkpoints - before.checkpoints,
    writes: writes - before.writes,
    blobs: blobs - before.blobs,
  };
}
