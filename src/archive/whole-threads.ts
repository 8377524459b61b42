import { refuseHiddenRows } from "../db/hidden-rows.js";
import { exportThread } from "../backup/export-thread.js";
import type { IdleDeletion, ThreadDeletion } from "../retention/boundary/parse-prune.js";
import { type IdleRule, isIdle } from "../retention/delete-whole-threads.js";
import {
  countRowsOfThreads,
  type RowsOfThreadRow,
  selectThreadTimes,
  lockCheckpointsOfThread,
} from "../retention/queries/whole-threads.js";
import type { SaverCall } from "../saver/call/saver-call.js";
import { NO_ROWS, numberOfRows } from "../saver/model/row-counts.js";
import { threadPages } from "../saver/thread-pages.js";
import { type ArchivePart, type PartListener, type Removal, RemovalProgress } from "./archive-part.js";
import { inOneTransaction, runBound, runTransaction } from "../db/statements/run-statement.js";
import { deleteUnreferencedBlobs } from "../retention/queries/orphaned-blobs.js";
import { groupBy } from "../db/group-by.js";
import { readIsolation, refuseSnapshots } from "../saver/queries/take-locks.js";
import {
  deleteConversations,
  hasConversations,
  readConversationRow,
} from "../saver/queries/conversations-of-threads.js";
import { putTombstones } from "../saver/queries/tombstones.js";
import { writeGuard } from "../saver/storing/write-guard.js";
import type { RowDigests } from "../backup/row-digests.js";
import {
  deleteCheckpointsByKey,
  deleteWritesByKey,
  lockBlobsOfThread,
  lockWritesOfThread,
} from "./queries/remove-rows.js";
import { digestThread, blobsKeyOf, type ThreadDigests } from "../backup/queries/digest-rows.js";

/** Yields the named threads that have rows. */
export async function* namedThreads(
  call: SaverCall,
  { threads }: ThreadDeletion,
  { onMissing }: PartListener,
): AsyncGenerator<ArchivePart> {
  await refuseHiddenRows(call);
  for await (const page of threadPages(call, threads)) {
    const sizes = await countRowsOfThreads(call, page);
    onMissing(sizes.filter(({ namespaces }) => namespaces === 0).map(({ thread_id }) => thread_id));
    for (const size of sizes) if (size.namespaces > 0) yield wholeThread(call, size);
  }
}

/** Yields the threads whose newest checkpoint is old enough. */
export async function* idleThreads(
  call: SaverCall,
  { idleForMs, threads, onProgress }: IdleDeletion,
  { onMissing }: PartListener,
): AsyncGenerator<ArchivePart> {
  await refuseHiddenRows(call);
  const rule = { nowMs: Date.now(), idleForMs };
  const progress = new RemovalProgress(onProgress);
  for await (const page of threadPages(call, threads)) {
    const times = await selectThreadTimes(call, page);
    const stored = new Set(times.map(({ thread_id }) => thread_id));
    if (threads !== undefined) onMissing(page.filter((threadId) => !stored.has(threadId)));
    const idle = times.filter((row) => isIdle(row, rule)).map(({ thread_id }) => thread_id);
    for (const size of idle.length === 0 ? [] : await countRowsOfThreads(call, idle)) {
      const part = wholeThread(call, size, rule);
      const remove: ArchivePart["remove"] = async (archived) => {
        const { isChanged, ...counts } = await part.remove(archived);
        const key = { threadId: part.threadId, checkpointNs: "" };
        progress.add(key, counts, isChanged ? 0 : size.namespaces);
        return { isChanged, ...counts };
      };
      yield { ...part, remove };
    }
  }
}

function wholeThread(call: SaverCall, row: RowsOfThreadRow, idle?: IdleRule): ArchivePart {
  const threadId = row.thread_id;
  return {
    threadId,
    size: numberOfRows(row),
    rows: (within) => exportThread(within, threadId),
    remove: (archived) => removeThread(call, threadId, { archived, idle }),
  };
}

/** What must hold for a thread to be deleted. */
interface Condition {
  /** The file holds every row of the thread. */
  readonly archived: RowDigests;
  /** The thread is idle by this rule. */
  readonly idle: IdleRule | undefined;
}

/**
 * Deletes a thread whose rows are all in a file, as `deleteThread` does, or nothing of it. It locks all rows of the thread and
 * compares them in the next statements (C7), and then deletes the compared ones by their keys. What comes meanwhile stays.
 */
async function removeThread(
  call: SaverCall,
  threadId: string,
  { archived, idle }: Condition,
): Promise<Removal> {
  const removal = await inOneTransaction(call, async (within) => {
    await lockThread(within, threadId);
    const rows = await digestThread(within, threadId);
    const isActive = idle !== undefined && (await isThreadActive(within, threadId, idle));
    const isKnown = archived.holdsConversation(await readConversationRow(within, threadId, true));
    if (isActive || !isKnown || !isArchived(rows, archived)) return { ...NO_ROWS, isChanged: true };
    return deleteRows(within, threadId, rows);
  });
  call.policy.memory?.forgetThread(threadId);
  return removal;
}

/** Whether a checkpoint came after the thread was found idle. It may be in the file. */
async function isThreadActive(within: SaverCall, threadId: string, idle: IdleRule): Promise<boolean> {
  const times = await selectThreadTimes(within, [threadId]);
  return times.some((time) => !isIdle(time, idle));
}

async function lockThread(within: SaverCall, threadId: string): Promise<void> {
  const { schema } = within;
  const isolation = {
    statement: readIsolation(schema),
    check: (rows: readonly { readonly isolation: string }[]) => {
      refuseSnapshots(rows, "archive needs");
    },
  };
  await runTransaction(within, {
    guard: [isolation, ...(await writeGuard(within, [{ kind: "deleteThread", threadId }]))],
    statements: [
      lockCheckpointsOfThread.bind(schema, { threadId }),
      lockWritesOfThread.bind(schema, { threadId }),
      lockBlobsOfThread.bind(schema, { threadId }),
    ],
  });
}

function isArchived({ checkpoints, writes, blobs }: ThreadDigests, archived: RowDigests): boolean {
  return [...checkpoints, ...writes, ...blobs].every((row) => archived.holds(row));
}

async function deleteRows(
  within: SaverCall,
  threadId: string,
  { checkpoints, writes, blobs }: ThreadDigests,
): Promise<Removal> {
  const { schema, policy } = within;
  if (policy.keepTombstones === true)
    await runBound(within, putTombstones(schema, { naming: "parameter", threadId, items: [threadId] }));
  const headers = await deleteCheckpointsByKey(within, threadId, checkpoints);
  let { bytes } = await deleteWritesByKey(within, threadId, writes);
  bytes += headers.bytes;
  let deletedBlobs = 0;
  for (const [checkpointNs, values] of groupBy(blobs, (row) => row.checkpoint_ns)) {
    const [deleted] = await runBound(
      within,
      deleteUnreferencedBlobs.bind(schema, blobsKeyOf({ threadId, checkpointNs }, values)),
    );
    deletedBlobs += deleted?.blobs ?? 0;
    bytes += deleted?.bytes ?? 0;
  }
  if (await hasConversations(within))
    await runBound(within, deleteConversations(schema, { naming: "parameter", threadId, items: [threadId] }));
  return {
    checkpoints: checkpoints.length,
    writes: writes.length,
    blobs: deletedBlobs,
    bytes,
    isChanged: false,
  };
}
