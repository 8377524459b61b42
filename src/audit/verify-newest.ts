import type { CallContext } from "../db/call-context.js";
import { addedColumns } from "../db/added-columns.js";
import { type CheckpointKey, checkpointKeyOf } from "../saver/model/keys.js";
import { getHeaderPage, getNewestKeys } from "./queries/get-header-page.js";
import { getTombstonePage } from "./queries/get-tombstone-page.js";
import type { Problem } from "./audit-types.js";
import { ProblemList } from "./problems.js";
import { headerCheck, problemsOfHeader, problemsOfTombstone } from "./verify-headers.js";

/** How many checkpoints are looked through for the newest one of each thread. */
const MOST_CHECKPOINTS = 1_000;

/** What {@link verifyNewest} found. */
interface NewestReport {
  readonly threads: number;
  readonly problems: readonly Problem[];
}

/**
 * Checks the newest checkpoint of some threads, those that were written last, as {@link verify} checks it, but reads no values. It takes
 * a few statements for each.
 *
 * @param most - The most threads.
 */
export async function verifyNewest(call: CallContext, most: number): Promise<NewestReport> {
  const keys = new Map<string, CheckpointKey>();
  for (const row of await getNewestKeys(call, { limit: MOST_CHECKPOINTS })) {
    if (keys.size < most && !keys.has(row.thread_id)) keys.set(row.thread_id, checkpointKeyOf(row));
  }
  const list = new ProblemList();
  const { tombstones } = await addedColumns(call);
  const check = headerCheck(call, false);
  for (const key of keys.values()) {
    const { threadId } = key;
    const page = { threadId, pageSize: 1 };
    const [row] = await getHeaderPage(call, { ...page, begin: { key, inclusive: true } });
    // Deleted meanwhile.
    if (row === undefined || checkpointKeyOf(row).checkpointId !== key.checkpointId) continue;
    const found = await problemsOfHeader(row, check);
    const [tombstone] = tombstones ? await getTombstonePage(call, { ...page, begin: undefined }) : [];
    for (const problem of [...found, ...(tombstone ? problemsOfTombstone(tombstone) : [])]) list.add(problem);
  }
  return { threads: keys.size, problems: list.toProblems() };
}
