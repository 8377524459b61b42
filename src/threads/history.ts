import type { CallContext } from "../db/call-context.js";
import { type NamespaceKey, compareText } from "../saver/model/keys.js";
import { getHistoryPage, type HistoryRow } from "./queries/get-history-page.js";
import { buildBranches } from "./build-branches.js";
import { describeRow } from "./describe-row.js";
import type { HistoryEntry, ThreadHistory } from "./thread-types.js";

/** More than most threads have, and few enough that the planner does not use JIT for the page. */
const PAGE_SIZE = 5_000;

/**
 * Reads the tree of a namespace; see `history` of the savers.
 *
 * @param limit - The most checkpoints, from the newest on. A checkpoint whose parent is left out begins a branch.
 */
export async function history(
  call: CallContext,
  key: NamespaceKey,
  limit = Number.POSITIVE_INFINITY,
): Promise<ThreadHistory> {
  const entries: HistoryEntry[] = [];
  for (;;) {
    const pageSize = Math.min(PAGE_SIZE, limit - entries.length);
    const page = pageSize > 0 ? await getHistoryPage(call, key, entries.at(-1)?.checkpointId, pageSize) : [];
    for (const row of page) entries.push(await entryOf(row, key));
    if (page.length < PAGE_SIZE) break;
  }
  return { ...key, head: newestOf(entries), branches: buildBranches(entries) };
}

async function entryOf(row: HistoryRow, key: NamespaceKey): Promise<HistoryEntry> {
  const checkpointId = row.checkpoint_id;
  const { time, ...described } = await describeRow({ ...key, checkpointId }, row);
  return {
    checkpointId,
    parentCheckpointId: row.parent_checkpoint_id ?? undefined,
    createdAt: time,
    ...described,
    writes: row.writes,
    interrupted: row.interrupted,
  };
}

function newestOf(entries: readonly HistoryEntry[]): string | undefined {
  const [first, ...others] = entries.map(({ checkpointId }) => checkpointId);
  return others.reduce((newest, id) => (compareText(id, newest ?? "") > 0 ? id : newest), first);
}
