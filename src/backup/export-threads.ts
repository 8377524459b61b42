import type { CallContext } from "../db/call-context.js";
import { DEFAULT_SIZE_LIMITS } from "../db/size-limits.js";
import { nextStoredThread } from "./queries/next-stored-thread.js";
import { BACKUP_FORMAT, BACKUP_VERSION, type BackupCounts, type ThreadLine } from "./backup-line.js";
import { exportThread } from "./export-thread.js";
import { formatLine, Ledger } from "./ledger.js";

/** How many bytes of a value are read at a time. Postgres unpacks a compressed one from its beginning for each. */
const READ_BYTES = 4 * 2 ** 20;

/** The lines of a backup; see `Backup.exportThreads`. */
export async function* exportThreads(
  call: CallContext,
  threads: readonly string[] | undefined,
): AsyncGenerator<string> {
  const ledger = new Ledger();
  const write = (line: object): string => {
    const text = formatLine(line);
    ledger.hash(text);
    return text;
  };
  yield write({ format: BACKUP_FORMAT, version: BACKUP_VERSION });
  const { limits = DEFAULT_SIZE_LIMITS } = call.policy;
  const inPieces = {
    ...call,
    policy: { ...call.policy, limits: { ...limits, pieceBytes: Math.min(limits.pieceBytes, READ_BYTES) } },
  };
  for await (const thread of threads ?? storedThreads(call)) {
    const before = ledger.counts;
    for await (const line of exportThread(inPieces, thread)) {
      ledger.count(line);
      yield write(line);
    }
    const end: ThreadLine = { thread, ...rowsSince(before, ledger.counts) };
    ledger.count(end);
    yield write(end);
  }
  yield formatLine(ledger.end());
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
