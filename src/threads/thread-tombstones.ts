import type { CallContext } from "../db/call-context.js";
import type { TombstonesRequest } from "./boundary/parse-thread-queries.js";
import { deleteTombstones, listTombstoneRows } from "./queries/tombstone-rows.js";
import type { Tombstone } from "./thread-types.js";

/** Reads a page of tombstones; see `listTombstones` of the savers. */
export async function listTombstones(
  call: CallContext,
  { after, limit }: TombstonesRequest,
): Promise<Tombstone[]> {
  const rows = limit === 0 ? [] : await listTombstoneRows(call, after, limit);
  return rows.map((row) => ({ threadId: row.thread_id, deletedAt: new Date(Number(row.deleted_at_ms)) }));
}

/** Deletes tombstones; see `liftTombstones` of the savers. */
export async function liftTombstones(call: CallContext, threadIds: readonly string[]): Promise<string[]> {
  const rows = threadIds.length === 0 ? [] : await deleteTombstones(call, threadIds);
  const lifted = new Set(rows.map((row) => row.thread_id));
  return threadIds.filter((id) => lifted.has(id));
}
