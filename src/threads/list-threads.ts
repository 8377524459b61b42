import type { CallContext } from "../db/call-context.js";
import type { ThreadsRequest } from "./boundary/parse-thread-queries.js";
import { listThreadRows } from "./queries/list-thread-rows.js";
import type { ListedRow } from "./queries/listed-threads.js";
import { describeRow } from "./describe-row.js";
import type { ThreadSummary } from "./thread-types.js";

/** Reads a page of threads; see `listThreads` of the savers. */
export async function listThreads(
  call: CallContext,
  { scope, limit }: ThreadsRequest,
): Promise<ThreadSummary[]> {
  const rows = limit === 0 ? [] : await listThreadRows(call, scope, limit);
  return Promise.all(rows.map(summaryOf));
}

async function summaryOf(row: ListedRow): Promise<ThreadSummary> {
  const { thread_id: threadId, checkpoint_ns: checkpointNs, checkpoint_id: checkpointId } = row;
  const key = { threadId, checkpointNs, checkpointId };
  const { time, ...described } = await describeRow(key, row);
  return {
    ...key,
    updatedAt: time,
    ...described,
    checkpoints: row.checkpoints,
    namespaces: row.namespaces,
  };
}
