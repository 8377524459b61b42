import type { ThreadCounts, ThreadStatus } from "../api/threads.js";
import type { CallRun } from "../calls/call-definition.js";
import { listRecentThreads } from "../queries/list-recent-threads.js";
import { countOpenThreads, type OpenCountRow } from "../queries/open-threads.js";
import { hasOptionalIndex } from "../queries/has-optional-index.js";
import type { RecentScope } from "../queries/recent-threads.js";
import { listedThread, withStates } from "./describe-threads.js";
import { MAX_LOOKED } from "./thread-scope.js";

const EVERYWHERE: RecentScope = {
  ...{ after: undefined, search: undefined, among: undefined, since: undefined },
  ...{ filter: undefined, unlike: undefined },
};

/** Counts the threads in each state: among those with the latest activity, and all that wait or have failed where an index knows them. */
export async function countThreads(run: CallRun): Promise<ThreadCounts> {
  const [rows, open] = await Promise.all([
    listRecentThreads(run.call, EVERYWHERE, MAX_LOOKED + 1),
    // At the same time, though it is in vain where there are few threads: for many, each of the two takes long.
    countByIndex(run),
  ]);
  const looked = await withStates(run, rows.slice(0, MAX_LOOKED).map(listedThread));
  const counts = { failed: 0, interrupted: 0, pending: 0, done: 0 };
  for (const { status } of looked) counts[status]++;
  if (rows.length <= MAX_LOOKED) return { counts, counted: ALL, looked: looked.length };
  if (open === undefined) return { counts, counted: [], looked: looked.length };
  return { counts: { ...counts, ...open }, counted: ["failed", "interrupted"], looked: looked.length };
}

async function countByIndex({ call }: CallRun): Promise<OpenCountRow | undefined> {
  return (await hasOptionalIndex(call, "waiting-index")) ? countOpenThreads(call) : undefined;
}

const ALL: readonly ThreadStatus[] = ["failed", "interrupted", "pending", "done"];
