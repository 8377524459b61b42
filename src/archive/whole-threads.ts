import { refuseHiddenRows } from "../db/hidden-rows.js";
import { exportThread } from "../backup/export-thread.js";
import type { IdleDeletion, ThreadDeletion } from "../retention/boundary/parse-prune.js";
import { type IdleRule, isIdle } from "../retention/idle-rule.js";
import { measureThreads, type ThreadSizeRow } from "../retention/queries/measure-threads.js";
import { selectThreadTimes } from "../retention/queries/select-thread-times.js";
import type { SaverCall } from "../saver/call/saver-call.js";
import { addCounts, NO_ROWS, numberOfRows, type RowCounts } from "../saver/model/row-counts.js";
import { threadPages } from "../saver/thread-pages.js";
import type { ArchivePart, PartListener } from "./archive-part.js";
import { removeThread } from "./remove-thread.js";

/** Yields the named threads that have rows. */
export async function* namedThreads(
  call: SaverCall,
  { threads }: ThreadDeletion,
  { onMissing }: PartListener,
): AsyncGenerator<ArchivePart> {
  await refuseHiddenRows(call);
  for await (const page of threadPages(call, threads)) {
    const sizes = await measureThreads(call, page);
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
  let removed: RowCounts = NO_ROWS;
  let namespacesDone = 0;
  for await (const page of threadPages(call, threads)) {
    const times = await selectThreadTimes(call, page);
    const stored = new Set(times.map(({ thread_id }) => thread_id));
    if (threads !== undefined) onMissing(page.filter((threadId) => !stored.has(threadId)));
    const idle = times.filter((row) => isIdle(row, rule)).map(({ thread_id }) => thread_id);
    for (const size of idle.length === 0 ? [] : await measureThreads(call, idle)) {
      const part = wholeThread(call, size, rule);
      const remove: ArchivePart["remove"] = async (archived) => {
        const { isChanged, ...counts } = await part.remove(archived);
        removed = addCounts(removed, counts);
        if (!isChanged) namespacesDone += size.namespaces;
        onProgress?.({ ...removed, threadId: part.threadId, checkpointNs: "", namespacesDone });
        return { isChanged, ...counts };
      };
      yield { ...part, remove };
    }
  }
}

function wholeThread(call: SaverCall, row: ThreadSizeRow, idle?: IdleRule): ArchivePart {
  const threadId = row.thread_id;
  return {
    threadId,
    size: numberOfRows(row),
    rows: (within) => exportThread(within, threadId),
    remove: (archived) => removeThread(call, threadId, { archived, idle }),
  };
}
